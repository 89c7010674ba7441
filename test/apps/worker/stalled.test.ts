import { expect, test } from 'vitest'
import { Deployment } from '../../../src/kube/index.ts'
import { writeChart } from '../helm/world.ts'
import { MODES, neverReady, onlyIn, page } from './charts.ts'
import { ADMIN, WorkerWorld } from './world.ts'

test('an upgrade that never gets healthy is tried as often as it may be, and then left alone', async () => {
  await using world = await WorkerWorld.make()
  const chart = { 'page.yaml': page('{{ .Values.user.mode }}'), 'web.yaml': onlyIn('broken', neverReady) }
  const templateId = await world.publish(await writeChart(world.dir, chart), { ...MODES, healthTimeoutSec: 3 })
  const { told } = await world.worker({ backoff: { baseMs: 200, capMs: 200, maxAttempts: 2 } })
  const steps: string[] = []
  told.on('apps:step', ({ step }) => steps.push(step))
  const order = await world.orderWithoutVolume({ mode: 'calm' }, 'shop.example.com', { templateId })
  const { id, namespaceName: namespace } = order
  await world.until(id, 'ready')
  const statusSince = async () => (await world.apps.getDeployment(ADMIN, { id })).statusSince
  const TRIES = ['upgrade', 'rollBack', 'upgrade', 'rollBack']

  steps.length = 0
  await world.apps.updateDeployment(ADMIN, { id }, { userValues: { mode: 'broken' } })
  const stalled = await world.until(id, 'stalled', 60_000)
  expect(steps).toEqual(TRIES)
  expect(stalled.lastError).toMatchObject({ code: 'NeverHealthy', retryable: false })
  expect(stalled.lastError?.message).toContain('tried 2 times')
  expect(stalled.lastError?.nextStep).toMatch(/change the deployment, or retry it/)
  expect([stalled.observedGeneration, stalled.nextReconcileAt]).toEqual([1, null])
  expect(await world.textIn(namespace)).toBe('calm')
  expect(await world.client.get(Deployment, { namespace, name: 'web' })).toBeUndefined()

  // Once when it failed first, and once when it was given up.
  await expect.poll(() => world.warnings(namespace)).toEqual(['NeverHealthy', 'NeverHealthy'])

  const since = await statusSince()
  await world.apps.scanDrift(ADMIN)
  for (let look = 0; look < 3; look++) await world.lookOnce(id, told)
  expect(steps).toEqual(TRIES)
  const { lastReconcileAt: _then, ...before } = stalled
  const { lastReconcileAt: _now, ...after } = await world.row(id)
  expect(after).toEqual(before)
  expect(await statusSince()).toBe(since)

  steps.length = 0
  await world.apps.enqueueReconcile(ADMIN, { id }, 'retry')
  await world.until(id, 'upgrading', 30_000)
  await world.until(id, 'stalled', 60_000)
  expect(steps).toEqual(TRIES)

  await world.apps.updateDeployment(ADMIN, { id }, { userValues: { mode: 'fine' } })
  const ready = await world.until(id, 'ready')
  expect([await world.textIn(namespace), ready.lastError]).toEqual(['fine', null])
})
