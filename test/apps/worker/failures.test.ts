import { expect, test } from 'vitest'
import { createNamespace, installFence } from '../../../src/domains/apps/fence.ts'
import { systemClock } from '../../../src/kernel/index.ts'
import { ConfigMap, Namespace, ResourceQuota } from '../../../src/kube/index.ts'
import { seen } from '../../support/kube.ts'
import { ADMIN, WorkerWorld } from './world.ts'

test('a namespace of somebody else is refused and never touched', async () => {
  await using world = await WorkerWorld.make()
  const { id, namespaceName: name } = await world.orderWithoutVolume()
  const theirs = await world.client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  await world.worker()
  const { lastError } = await world.until(id, 'error')
  expect(lastError).toMatchObject({ code: 'NamespaceTaken', whoseMove: 'operator', retryable: false })
  await world.apps.deleteDeployment(ADMIN, { id })
  await world.until(id, 'deleted')
  expect((await world.client.get(Namespace, { name }))?.metadata.uid).toBe(theirs.metadata.uid)
})

test('a quota that is too small is told as such', { timeout: 240_000 }, async () => {
  await using world = await WorkerWorld.make({ healthTimeoutSec: 15 })
  const made = await world.order()
  const { id, namespaceName: namespace, userId } = made
  await installFence(world.client)
  await createNamespace({ client: world.client, clock: systemClock }, { namespace, deploymentId: id, userId, fence: 0 })
  const quota = { namespace, name: 'no-pods' }
  await world.client.create(ResourceQuota, {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: quota,
    spec: { hard: { pods: '0' } },
  })
  await seen(world.client, ResourceQuota, quota, ({ status }) => status?.used?.['pods'] !== undefined)
  await world.worker()
  await expect.poll(async () => (await world.row(id)).lastError?.code, { timeout: 60_000 }).toBe('QuotaExceeded')
  await world.client.delete(ResourceQuota, quota)
  // Whoever makes the pods tries at longer and longer intervals, up to minutes.
  const ready = await world.until(id, 'ready')
  expect(ready.lastError).toBeNull()
})

test('what keeps a namespace from going is named, and waited for', async () => {
  await using world = await WorkerWorld.make()
  const { told } = await world.worker()
  const { id, namespaceName: namespace } = await world.order()
  await world.until(id, 'ready')
  const metadata = { namespace, name: 'stuck', finalizers: ['example.com/hold'] }
  await world.client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata })
  const reasons: string[] = []
  told.on('reconcile:end', ({ because = '' }) => reasons.push(because))
  await world.apps.deleteDeployment(ADMIN, { id })
  await expect
    .poll(() => reasons.join('\n'), { timeout: 60_000 })
    .toContain('ConfigMap stuck waits for finalizer example.com/hold')
  await world.client.patch(ConfigMap, { namespace, name: 'stuck' }, { merge: { metadata: { finalizers: null } } })
  await world.until(id, 'deleted')
})
