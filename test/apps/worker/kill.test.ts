import { expect, test } from 'vitest'
import { ConfigMap, Namespace, Secret } from '../../../src/kube/index.ts'
import { writeChart } from '../helm/world.ts'
import { hanging, page } from './charts.ts'
import { ADMIN, WorkerWorld, type Killable } from './world.ts'

const LONG = 300_000

interface Moment {
  readonly during: string
  /** Whether the worker is in the middle of it, or past it: a moment that passes by itself may be missed. */
  readonly is: (world: WorkerWorld, namespace: string) => Promise<boolean>
}

const records = async (world: WorkerWorld, namespace: string, status: string): Promise<boolean> =>
  (await world.client.list(Secret, { namespace, labels: `owner=helm,status=${status}` })).length > 0

const exists = async (world: WorkerWorld, name: string): Promise<boolean> =>
  (await world.client.get(Namespace, { name })) !== undefined

const textIn = async ({ client }: WorkerWorld, namespace: string): Promise<string | undefined> =>
  (await client.get(ConfigMap, { namespace, name: 'page' }))?.data?.['text']

/** Waits for the moment, and ends the worker in it. */
async function killedWhen(
  world: WorkerWorld,
  worker: Killable,
  namespace: string,
  { during, is }: Moment,
): Promise<void> {
  const deadline = Date.now() + 90_000
  while (!(await is(world, namespace))) {
    if (Date.now() > deadline) throw new Error(`it was never seen to ${during}`)
  }
  await worker.kill()
}

test.each<Moment & { readonly needsVolume: boolean }>([
  { during: 'create the namespace', needsVolume: false, is: exists },
  { during: 'install', needsVolume: false, is: (...at) => records(...at, 'pending-install') },
  { during: 'finish the install', needsVolume: true, is: (...at) => records(...at, 'deployed') },
])('a worker killed while about to $during changes nothing about the end', { timeout: LONG }, async (moment) => {
  await using world = await WorkerWorld.make()
  const templateId = await world.publish(await writeChart(world.dir, hanging()))
  const first = await world.process()
  const order = await world.orderWithoutVolume({}, 'shop.example.com', { templateId })
  const { id, namespaceName: namespace } = order
  // Without one the install never ends by itself.
  if (moment.needsVolume) await world.layVolume(order)
  await killedWhen(world, first, namespace, moment)
  if (!moment.needsVolume) await world.layVolume(order)
  await world.process()
  await world.until(id, 'ready')
  expect(await records(world, namespace, 'deployed')).toBe(true)
  expect(await textIn(world, namespace)).toBe('shop.example.com')
})

test('a worker killed during an upgrade changes nothing about the end', { timeout: LONG }, async () => {
  await using world = await WorkerWorld.make()
  const chartVersion = '1.1.0'
  const one = await world.publish(await writeChart(world.dir, { 'page.yaml': page('one') }))
  // The upgrade never ends by itself: it waits for a volume.
  const newer = await writeChart(world.dir, hanging('two'), { version: chartVersion })
  const two = await world.publish(newer, { chartVersion })
  const first = await world.process()
  const order = await world.orderWithoutVolume({}, 'shop.example.com', { templateId: one })
  const { id, namespaceName: namespace } = order
  await world.until(id, 'ready')
  await world.apps.updateDeployment(ADMIN, { id }, { templateId: two })
  const is = () => records(world, namespace, 'pending-upgrade')
  await killedWhen(world, first, namespace, { during: 'upgrade', is })
  await world.layVolume(order)
  await world.process()
  await world.until(id, 'ready')
  expect(await textIn(world, namespace)).toBe('two')
})

test.each<Moment>([
  {
    during: 'uninstall',
    is: async (world, namespace) =>
      (await records(world, namespace, 'uninstalling')) || !(await records(world, namespace, 'deployed')),
  },
  {
    during: 'delete the namespace',
    is: async (world, name) =>
      (await world.client.get(Namespace, { name }))?.metadata.deletionTimestamp !== undefined ||
      !(await exists(world, name)),
  },
])('a worker killed while about to $during leaves nothing behind', { timeout: LONG }, async (moment) => {
  await using world = await WorkerWorld.make()
  const first = await world.process()
  const { id, namespaceName: namespace } = await world.order()
  await world.until(id, 'ready')
  await world.apps.deleteDeployment(ADMIN, { id })
  await killedWhen(world, first, namespace, moment)
  await world.process()
  await world.until(id, 'deleted')
  expect(await exists(world, namespace)).toBe(false)
})

test(
  'a worker that wakes up after its lease has passed on, and the Helm it had started, change nothing',
  { timeout: LONG },
  async () => {
    await using world = await WorkerWorld.make()
    const templateId = await world.publish(await writeChart(world.dir, hanging()), { healthTimeoutSec: 3_600 })
    const zombie = await world.process()
    const { id, namespaceName: namespace } = await world.orderWithoutVolume({}, 'shop.example.com', { templateId })
    await expect.poll(() => records(world, namespace, 'pending-install'), { timeout: 90_000 }).toBe(true)
    zombie.pause()
    await world.worker()
    await expect.poll(() => records(world, namespace, 'failed'), { timeout: 90_000 }).toBe(true)
    await world.layVolume({ namespaceName: namespace })
    const ready = await world.until(id, 'ready')
    zombie.wake()
    await world.apps.updateDeployment(ADMIN, { id }, { domainname: 'later.example.com' })
    await world.until(id, 'ready')
    expect(ready.lastError).toBeNull()
    const statuses = (await world.client.list(Secret, { namespace, labels: 'owner=helm' })).map(
      ({ metadata }) => metadata.labels?.['status'],
    )
    expect(statuses.filter((status) => status === 'deployed')).toHaveLength(1)
  },
)
