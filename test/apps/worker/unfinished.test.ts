import { expect, test } from 'vitest'
import { Job, Pod, Secret } from '../../../src/kube/index.ts'
import { writeChart } from '../helm/world.ts'
import { claim, hookOnClaim, page } from './charts.ts'
import { reportState, withLogs } from './logs.ts'
import { ADMIN, WorkerWorld } from './world.ts'

const HOLD = { baseMs: 600_000, capMs: 600_000, maxAttempts: 8 }

/** Two templates: `two` has a hook that has to succeed before anything of it is applied. */
async function templatesOf(world: WorkerWorld): Promise<{ one: string; two: string }> {
  const chartVersion = '1.1.0'
  const before = { 'page.yaml': page('one'), 'claim.yaml': claim }
  const after = { 'page.yaml': page('two'), 'claim.yaml': claim, 'hook.yaml': hookOnClaim('pre-upgrade') }
  const input = { chartVersion, healthTimeoutSec: 3_600 }
  return {
    one: await world.publish(await writeChart(world.dir, before)),
    two: await world.publish(await writeChart(world.dir, after, { version: chartVersion }), input),
  }
}

test('what a hook has to precede is not applied when its worker dies', { timeout: 300_000 }, async () => {
  await using world = await WorkerWorld.make()
  const { one, two } = await templatesOf(world)
  const first = await world.process()
  const order = await world.orderWithoutVolume({}, 'shop.example.com', { templateId: one })
  const { id, namespaceName: namespace } = order
  await world.until(id, 'ready')
  await world.apps.updateDeployment(ADMIN, { id }, { templateId: two })
  const hooks = async () => (await world.client.list(Job, { namespace })).map(({ metadata }) => metadata.uid)
  await expect.poll(hooks, { timeout: 60_000 }).toHaveLength(1)
  const [unfinished] = await hooks()
  await first.kill()

  const { told } = await world.worker()
  const steps: string[] = []
  told.on('apps:step', ({ step }) => steps.push(step))
  await expect
    .poll(async () => (await hooks()).filter((uid) => uid !== unfinished), { timeout: 60_000 })
    .toHaveLength(1)
  const statuses = (await world.revisions(namespace)).map(({ info }) => info.status)
  expect([steps, statuses]).toEqual([['unlockRelease'], ['deployed', 'failed', 'pending-upgrade']])
  expect(await world.textIn(namespace)).toBe('one')

  await world.layVolume(order)
  await world.until(id, 'ready')
  expect(await world.textIn(namespace)).toBe('two')
  expect(steps).toEqual(['unlockRelease', 'upgrade'])
})

test('a hook that fails leaves the old objects, and says what its pod said', async () => {
  await using world = await WorkerWorld.make()
  const { one, two } = await templatesOf(world)
  await world.worker({ backoff: HOLD }, withLogs('migrating\ncolumn "price" does not exist\n'))
  const { id, namespaceName: namespace } = await world.orderWithoutVolume({}, 'shop.example.com', { templateId: one })
  await world.until(id, 'ready')
  await world.apps.updateDeployment(ADMIN, { id }, { templateId: two })
  const pods = () => world.client.list(Pod, { namespace })
  await expect.poll(async () => (await pods()).length, { timeout: 60_000 }).toBe(1)
  const [pod] = await pods()
  if (pod === undefined) throw new Error('expected the pod of the hook')
  await reportState(world.client, pod, { phase: 'Failed', state: { terminated: { exitCode: 3, reason: 'Error' } } })

  await expect.poll(async () => (await world.row(id)).lastError?.code, { timeout: 60_000 }).toBe('HookFailed')
  await expect.poll(async () => (await world.row(id)).rollout?.failures, { timeout: 60_000 }).toBe(1)
  const { status, lastError, observedGeneration } = await world.row(id)
  expect([status, observedGeneration]).toEqual(['upgrading', 1])
  expect(lastError?.message).toContain(`container hook of pod ${pod.metadata.name}: Error`)
  expect(lastError?.message).toContain('last log lines: migrating | column "price" does not exist')
  expect(await world.textIn(namespace)).toBe('one')
  await expect.poll(() => world.warnings(namespace)).toEqual(['HookFailed'])
  const records = { namespace, labels: 'owner=helm,status=deployed' }
  await expect.poll(async () => (await world.client.list(Secret, records)).length, { timeout: 30_000 }).toBe(1)
})
