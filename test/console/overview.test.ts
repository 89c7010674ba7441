import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import type { StepView } from '../../src/api/contract/index.ts'
import { checkAgain, FailureError, settled } from '../../src/kernel/index.ts'
import type { Failure, Reconcile } from '../../src/kernel/index.ts'
import { closeBrowser, consoleWorld, picture } from './world.ts'
import type { ConsoleWorld } from './world.ts'

afterAll(closeBrowser)

const ago = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString()
const done = (title: string, from: number, to: number): StepView => ({
  name: title,
  title,
  state: 'done',
  started_at: ago(from),
  ended_at: ago(to),
  message: null,
})

const quotaExceeded: Failure = {
  code: 'QuotaExceeded',
  message: 'failed to apply ConfigMap: the quota of the namespace is exceeded',
  whoseMove: 'user',
  retryable: false,
  nextStep: 'Raise the quota.',
}

/** A controller with three ways to end: it makes, it waits, it gives up. */
const echo: Reconcile = async ({ key, decided }) => {
  const observed = { namespace: { phase: key.id.endsWith('slow') ? 'Terminating' : 'Active' }, configMap: null }
  const input = { desired: { text: 'hello', copies: 2 }, observed }
  if (key.id.endsWith('slow')) {
    decided(input, { do: 'wait', for: 'namespace' }, Date.now())
    return checkAgain(30_000, 'the namespace is still terminating')
  }
  decided(input, { do: 'apply', objects: [{ kind: 'ConfigMap', name: key.id }] }, Date.now())
  if (key.id.endsWith('broken')) throw new FailureError(quotaExceeded)
  return settled()
}

async function installation({ api, control }: ConsoleWorld): Promise<void> {
  const { board } = api.parts
  board.component('postgresql', { health: 'ok', message: 'all migrations are applied', version: '18.4' })
  board.component('kubernetes', { health: 'ok', message: 'reachable', version: 'v1.35.0' })
  board.component('worker', { health: 'ok', message: '1 controller', version: null })
  const node = (name: string) => ({ name, ready: true, version: 'v1.35.0', since: ago(20) })
  board.kubernetes({ version: 'v1.35.0', origin: 'local', nodes: [node('node-1'), node('node-2')] })
  board.preparation({
    state: 'done',
    started_at: ago(34),
    ended_at: ago(25.2),
    steps: [
      done('Start etcd', 34, 33),
      done('Start the API server', 33, 28),
      done('Start controllers', 28, 26),
      done('Register nodes', 26, 25.2),
    ],
  })
  board.queue(async () => ({ due: 0, running: 0, waiting: 1, parked: 0 }))
  const queue = await control('echo', echo)
  const ended = Promise.withResolvers<void>()
  let left = 3
  api.kernel.on('reconcile:end', () => void (--left === 0 && ended.resolve()))
  for (const name of ['hello', 'slow', 'broken'])
    await queue.wake({ kind: 'Echo', id: `default/${name}` }, { reason: 'created' })
  await ended.promise
}

const tones = async (page: Page): Promise<Record<string, string | null>> => {
  const boxes = await page.locator('[data-box]').all()
  return Object.fromEntries(
    await Promise.all(
      boxes.map(async (box) => [await box.getAttribute('data-box'), await box.getAttribute('data-tone')]),
    ),
  )
}

const AS_IT_IS = {
  rows: 'good',
  resources: 'good',
  pods: 'good',
  queue: 'good',
  kernel: 'good',
  apps: 'info',
  clusters: 'info',
  runtimes: 'info',
  actions: 'info',
  edge: 'info',
}

test('the drawing tells the state of every part, in light, in dark and on a narrow screen', async () => {
  const world = await consoleWorld()
  await installation(world)
  const page = await world.signedIn('/')
  await page.getByText('Everything is as desired').waitFor()
  await page.getByRole('button', { name: 'Echo/default/broken' }).waitFor()
  expect(await tones(page)).toEqual(AS_IT_IS)
  await picture(page, 'overview-light')

  await page.emulateMedia({ colorScheme: 'dark' })
  await page.locator('html[data-mantine-color-scheme="dark"]').waitFor()
  await picture(page, 'overview-dark')

  await page.setViewportSize({ width: 390, height: 844 })
  await page.locator('svg[data-shape="tall"]').waitFor()
  expect(await tones(page)).toEqual(AS_IT_IS)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  await page.emulateMedia({ colorScheme: 'light' })
  await picture(page, 'overview-narrow')
})

test('decisions are listed with how they ended, and can be filtered to the failed one', async () => {
  const world = await consoleWorld()
  await installation(world)
  const page = await world.signedIn('/operations/decisions')
  await page.getByRole('row', { name: /slow.*still terminating.*Checks again/ }).waitFor()
  await page.getByRole('row', { name: /hello.*Settled/ }).waitFor()
  await picture(page, 'decisions')

  await page.getByLabel('Filter decisions').fill('quota')
  await page.getByRole('row', { name: /broken.*Stopped/ }).waitFor()
  await page.getByText('1 of 3 decisions').waitFor()
  await page.getByRole('button', { name: 'Echo/default/broken' }).click()
  await page.getByRole('dialog').getByText('"hello"').waitFor()
  await picture(page, 'explain')
})
