import { expect, test } from 'vitest'
import { APPS_QUEUE } from '../../../src/domains/apps/queue.ts'
import type { ListedDeployment } from '../../../src/domains/apps/usecases/index.ts'
import type { Key, Queue } from '../../../src/kernel/index.ts'
import { raise } from '../../../src/kube/errors.ts'
import { ConfigMap, Namespace, Secret, type Transport } from '../../../src/kube/index.ts'
import { PostgresQueue } from '../../../src/store/index.ts'
import { writeChart } from '../helm/world.ts'
import { hanging } from './charts.ts'
import { ADMIN, WorkerWorld } from './world.ts'

const isRolling = (world: WorkerWorld, namespace: string) => async (): Promise<number> =>
  (await world.client.list(Secret, { namespace, labels: 'owner=helm,status in (pending-install,pending-upgrade)' }))
    .length

/** One whose Helm hangs in a hook. */
async function orderHanging(world: WorkerWorld): Promise<ListedDeployment> {
  const templateId = await world.publish(await writeChart(world.dir, hanging()), { healthTimeoutSec: 3_600 })
  return world.orderWithoutVolume({}, 'shop.example.com', { templateId })
}

test('a deletion does not wait for a rollout that never ends', async () => {
  await using world = await WorkerWorld.make()
  await world.worker()
  const { id, namespaceName: namespace } = await orderHanging(world)
  await expect.poll(isRolling(world, namespace), { timeout: 30_000 }).toBe(1)
  await world.apps.deleteDeployment(ADMIN, { id })
  await world.until(id, 'deleted')
  expect(await world.client.get(Namespace, { name: namespace })).toBeUndefined()
})

test('a change during a run is applied by the next one', async () => {
  await using world = await WorkerWorld.make()
  await world.worker()
  const { id, namespaceName: namespace } = await orderHanging(world)
  await expect.poll(isRolling(world, namespace), { timeout: 30_000 }).toBe(1)
  await world.apps.updateDeployment(ADMIN, { id }, { domainname: 'newest.example.com' })
  await world.layVolume({ namespaceName: namespace })
  const { generation, observedGeneration } = await world.until(id, 'ready')
  expect([generation, observedGeneration]).toEqual([2, 2])
  expect((await world.client.get(ConfigMap, { namespace, name: 'page' }))?.data?.['text']).toBe('newest.example.com')
})

test('two workers never run one deployment at the same time', async () => {
  await using world = await WorkerWorld.make()
  const running = new Map<string, number>()
  let most = 0
  const count = ({ id }: Key, change: 1 | -1): void => {
    running.set(id, (running.get(id) ?? 0) + change)
    most = Math.max(most, ...running.values())
  }
  // Counted where it is certain: one may take a key before the other has heard that it gave it back.
  const counted = (queue: Queue): Queue => ({
    leaseMs: queue.leaseMs,
    wake: (key, wake) => queue.wake(key, wake),
    renew: (claims) => queue.renew(claims),
    onReady: (listener) => queue.onReady(listener),
    async claim(...call) {
      const claims = await queue.claim(...call)
      for (const { key } of claims) count(key, 1)
      return claims
    },
    finish(claim, how) {
      count(claim.key, -1)
      return queue.finish(claim, how)
    },
  })
  for (let nth = 0; nth < 2; nth++) {
    const queue = new PostgresQueue({ pool: world.database.openQueuePool(), name: APPS_QUEUE })
    await world.worker({ queue: counted(queue) })
  }
  const orders = await Promise.all(['a', 'b', 'c'].map((name) => world.order({}, `${name}.example.com`)))
  for (const { id } of orders) await world.apps.updateDeployment(ADMIN, { id }, { userValues: { message: 'two' } })
  for (const { id } of orders) await world.until(id, 'ready')
  expect(most).toBe(1)
})

test('while the API server is away no attempt is lost', async () => {
  await using world = await WorkerWorld.make()
  let isAway = false
  const away = (transport: Transport): Transport => ({
    async send(request) {
      if (isAway) throw raise.KubeUnreachable('failed to reach the API server: connection refused')
      return transport.send(request)
    },
    stream: (request) => transport.stream(request),
  })
  const { told } = await world.worker({}, away)
  const outcomes: string[] = []
  told.on('reconcile:end', ({ outcome }) => outcomes.push(outcome))
  isAway = true
  const { id } = await world.order()
  await expect.poll(async () => (await world.row(id)).lastError?.code, { timeout: 20_000 }).toBe('KubeUnreachable')
  await expect.poll(() => outcomes.length, { timeout: 20_000 }).toBeGreaterThan(0)
  const { items } = await world.apps.listJobs(ADMIN, { deploymentId: id, limit: 1 })
  expect(items[0]?.attempt).toBe(0)
  isAway = false
  const ready = await world.until(id, 'ready')
  expect(ready.lastError).toBeNull()
  expect(outcomes).not.toContain('retry')
})
