import type { Page } from 'playwright-core'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { checkAgain, FailureError, settled, systemClock } from '../../src/kernel/index.ts'
import type { Failure, Reconcile } from '../../src/kernel/index.ts'
import { controlPlaneReport } from '../../src/processes/shared/kubernetes-report.ts'
import { testTransport } from '../support/kube.ts'
import { closeBrowser, consoleWorld, fitsPhone, PHONE, picture } from './world.ts'
import type { ConsoleWorld } from './world.ts'

afterAll(closeBrowser)

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
    decided({ input, decision: { do: 'wait', for: 'namespace' }, at: Date.now() })
    return checkAgain(600_000, 'the namespace is still terminating')
  }
  decided({ input, decision: { do: 'apply', objects: [{ kind: 'ConfigMap', name: key.id }] }, at: Date.now() })
  if (key.id.endsWith('broken')) throw new FailureError(quotaExceeded)
  return settled()
}

/** PostgreSQL and the control plane of this run as they are, and a controller whose queue is counted by how its runs end. */
async function installation({ api, control }: ConsoleWorld): Promise<void> {
  const { board } = api.parts
  const [server] = await api.pool.query<{ server_version: string }>('show server_version')
  const version = server?.server_version.split(' ')[0] ?? null
  board.component('postgresql', { health: 'ok', message: 'answers', version })
  const transport = await testTransport()
  const report = controlPlaneReport(transport, 'local', board, systemClock)
  onTestFinished(() => transport[Symbol.asyncDispose]())
  onTestFinished(() => report.service.stop())
  await report.service.start()

  const counts = { due: 0, running: 0, waiting: 0, parked: 0 }
  board.queue(async () => counts)
  const ended = Promise.withResolvers<void>()
  const names = ['hello', 'slow', 'broken']
  let left = names.length
  api.kernel.on('reconcile:end', ({ outcome }) => {
    if (outcome === 'checkAgain') counts.waiting++
    if (outcome === 'terminal') counts.parked++
    if (--left === 0) ended.resolve()
  })
  const queue = await control('echo', echo)
  for (const name of names) await queue.wake({ kind: 'Echo', id: `default/${name}` }, { reason: 'created' })
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
  queue: 'bad',
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
  await page.getByText('1 object has stopped and needs action').waitFor()
  await page.getByRole('button', { name: 'Echo/default/broken' }).waitFor()
  await expect.poll(() => tones(page)).toEqual(AS_IT_IS)
  await picture(page, 'overview-light')

  await page.emulateMedia({ colorScheme: 'dark' })
  await page.locator('html[data-mantine-color-scheme="dark"]').waitFor()
  await picture(page, 'overview-dark')

  await page.setViewportSize(PHONE)
  await page.locator('svg[data-shape="tall"]').waitFor()
  await expect.poll(() => tones(page)).toEqual(AS_IT_IS)
  await fitsPhone(page)
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
