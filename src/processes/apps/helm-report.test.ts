import { expect, test } from 'vitest'
import { startAll } from '../../kernel/index.ts'
import { helmReport, type HelmReportOptions } from './helm-report.ts'

async function reportOn(version: HelmReportOptions['version']) {
  const told: string[] = []
  const shown = Promise.withResolvers<Record<string, unknown>>()
  const stop = await startAll([
    helmReport({
      version,
      onError: (error, what) => told.push(`${what}: ${String(error)}`),
      board: { component: (name, report) => shown.resolve({ name, ...report }) },
    }),
  ])
  const component = await shown.promise
  await stop()
  return { told, component }
}

test('Helm 4 is shown with its version, and no error is logged', async () => {
  const { told, component } = await reportOn(async () => ({ major: 4, minor: 3, text: 'v4.3.1' }))
  expect(component).toMatchObject({ name: 'helm', health: 'ok', version: 'v4.3.1' })
  expect(told).toEqual([])
})

test('Helm 3 is logged and shown with its limits', async () => {
  const { told, component } = await reportOn(async () => ({ major: 3, minor: 19, text: 'v3.19.0' }))
  expect(component).toMatchObject({
    health: 'ok',
    version: 'v3.19.0',
    message: expect.stringMatching(/^with limits: .*overwrites fields that others hold/),
  })
  expect(told).toEqual([expect.stringContaining('dropped and not refused')])
})

test('a Helm that cannot be used is down', async () => {
  const { told, component } = await reportOn(() => Promise.reject(new Error('helm is not there')))
  expect(component).toMatchObject({ health: 'down', version: null, message: 'helm is not there' })
  expect(told).toEqual([expect.stringContaining('Helm cannot be used')])
})
