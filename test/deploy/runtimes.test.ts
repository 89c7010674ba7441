import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { ClassRuntime, KnativeService, PodMonitor, ServiceMonitor } from '../../src/domains/runtimes/index.ts'
import {
  ConfigMap,
  CustomResourceDefinition,
  Deployment,
  HorizontalPodAutoscaler,
  Lease,
  Namespace,
  Pod,
  Secret,
  Service,
  type KubeObject,
  type Resource,
} from '../../src/kube/index.ts'
import { caelus, printed, start, type Running } from '../cli/caelus.ts'
import { installForeignKinds } from '../runtimes/optional-kinds.ts'
import { fn, RuntimesWorld } from '../runtimes/world.ts'
import { freshNamespace, testClient } from '../support/kube.ts'
import { emptyDatabase } from '../support/postgres.ts'
import { accountOf, hasRights, outcomesOf, type Account, type Attempt } from './account.ts'
import { ensureHome, installed } from './chart.ts'

/** The name of everything that a runtime `cart` has for its function `add`. */
const CHILD = 'cart--add'

const controllers = ({ kubeconfig }: Account, { namespace }: Pick<RuntimesWorld, 'namespace'>): Running =>
  start(['run-controllers'], {
    CAELUS_KUBECONFIG: kubeconfig,
    CAELUS_RUNTIMES_NAMESPACE: namespace,
    CAELUS_PORT: '0',
    CAELUS_LOG_FORMAT: 'json',
  })

async function isMadeAgain(world: RuntimesWorld, resource: Resource): Promise<void> {
  const uid = (await world.client.get(resource, world.at(CHILD)))?.metadata.uid ?? ''
  await world.client.delete(resource, world.at(CHILD), { uid })
  await world.sees(resource, CHILD, ({ metadata }) => metadata.uid !== uid)
}

test('two controllers converge, repair and delete with the rights of the chart', { timeout: 240_000 }, async () => {
  await using world = await RuntimesWorld.make()
  await ensureHome(world.client)
  await using release = await installed({ 'runtimes.namespace': world.namespace })
  await using account = await accountOf(`${release.name}-controllers`)
  await hasRights(account, world)
  await using first = controllers(account, world)
  await first.says(/"msg":"Controllers started"/)
  await using second = controllers(account, world)
  await second.says(/"msg":"Controllers started"/)

  await world.create('cart', { functions: [fn('add', { min_scale: 1, max_scale: 3 }), fn('pay')] })
  await world.reaches('cart', 'available')
  expect(await world.names(HorizontalPodAutoscaler)).toEqual([CHILD])
  await isMadeAgain(world, Deployment)

  // Whoever led: the other one does now.
  first.child.kill('SIGTERM')
  const { err: told } = await first.ended
  await isMadeAgain(world, Service)
  await world.change('cart', { functions: [fn('add')] })
  await world.tells('Orphaned', /cart--pay/)
  await world.client.delete(ClassRuntime, world.at('cart'))
  await world.isGone(ClassRuntime, 'cart')
  expect(await world.names(Deployment)).toEqual([])

  second.child.kill('SIGTERM')
  expect(told + (await second.ended).err).not.toMatch(/forbidden/i)
})

test('controllers of two namespaces have rights in both, and in no other', { timeout: 240_000 }, async () => {
  await using world = await RuntimesWorld.make()
  await using second = await freshNamespace(world.client)
  await using foreign = await freshNamespace(world.client)
  await ensureHome(world.client)
  await using release = await installed({ 'runtimes.namespace': `${world.namespace},${second.name}` })
  await using account = await accountOf(`${release.name}-controllers`)
  const { client } = account
  for (const namespace of [world.namespace, second.name]) {
    await hasRights(account, { namespace })
    await client.apply(Deployment, workloadAt(namespace), { dryRun: true })
  }
  const elsewhere = client.get(ClassRuntime, { namespace: foreign.name, name: 'x' })
  expect(await outcomesOf([['reads runtimes elsewhere', elsewhere]])).toEqual(['reads runtimes elsewhere: refused'])
  await using running = controllers(account, { namespace: `${world.namespace},${second.name}` })
  await running.says(/"msg":"Controllers started"/)
  await world.create('cart')
  await world.reaches('cart', 'available')
  await world.client.create(ClassRuntime, runtimeAt(second.name))
  await expect
    .poll(async () => (await world.client.get(ClassRuntime, { namespace: second.name, name: 'cart' }))?.status?.phase)
    .toBe('available')
  running.child.kill('SIGTERM')
  expect((await running.ended).err).not.toMatch(/forbidden/i)
})

test('the controllers make what others define, too', { timeout: 240_000 }, async () => {
  await using world = await RuntimesWorld.make()
  await ensureHome(world.client)
  await installForeignKinds(world.client)
  await using release = await installed({ 'runtimes.namespace': world.namespace })
  await using account = await accountOf(`${release.name}-controllers`)
  await hasRights(account, world)
  await using running = controllers(account, world)
  await running.says(/"msg":"Controllers started"/)
  await world.create('cart', {
    selected_template: 'knative',
    functions: [fn('add')],
    telemetry: { metrics: true },
  })
  await world.create('stock', { functions: [fn('count')], telemetry: { metrics: true } })
  const foreign = [
    [KnativeService, CHILD],
    [PodMonitor, 'cart-podmon'],
    [ServiceMonitor, 'stock-svcmon'],
  ] as const
  for (const [resource, name] of foreign) await world.sees<KubeObject>(resource, name, () => true)
  for (const name of ['cart', 'stock']) await world.client.delete(ClassRuntime, world.at(name))
  for (const name of ['cart', 'stock']) await world.isGone(ClassRuntime, name)
  for (const [resource] of foreign) expect(await world.names(resource)).toEqual([])
})

test('the controllers are refused outside of their rights', async () => {
  await using admin = await testClient()
  await ensureHome(admin)
  await using ours = await freshNamespace(admin)
  await using foreign = await freshNamespace(admin)
  await using release = await installed({ 'runtimes.namespace': ours.name })
  await using account = await accountOf(`${release.name}-controllers`)
  const { client } = account
  const inside = { namespace: ours.name, name: 'x' }
  await hasRights(account, inside)
  const outside = { namespace: foreign.name, name: 'x' }
  const refused: readonly Attempt[] = [
    ['reads a Secret', client.get(Secret, inside)],
    ['lists Secrets', client.list(Secret, { namespace: ours.name })],
    ['makes a ConfigMap', client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata: inside })],
    ['deletes a Pod', client.delete(Pod, inside)],
    ['orders a runtime', client.create(ClassRuntime, runtimeAt(ours.name))],
    ['deletes a runtime', client.delete(ClassRuntime, inside)],
    ['changes a definition', client.patch(CustomResourceDefinition, { name: 'x' }, { merge: {} })],
    ['reads a namespace', client.get(Namespace, { name: ours.name })],
    ['takes a Lease elsewhere', client.get(Lease, inside)],
    ['deletes a Lease elsewhere', client.delete(Lease, inside)],
    ['makes a workload in another namespace', client.apply(Deployment, workloadAt(foreign.name), { dryRun: true })],
    ['reads runtimes of another namespace', client.get(ClassRuntime, outside)],
  ]
  expect(await outcomesOf(refused)).toEqual(refused.map(([what]) => `${what}: refused`))
  await client.apply(Deployment, workloadAt(ours.name), { dryRun: true })
})

test('without a namespace the controllers have the same rights in all of them', async () => {
  await using admin = await testClient()
  await ensureHome(admin)
  await using any = await freshNamespace(admin)
  await using release = await installed()
  await using account = await accountOf(`${release.name}-controllers`)
  const { client } = account
  await hasRights(account, { namespace: any.name })
  await client.apply(Deployment, workloadAt(any.name), { dryRun: true })
  for (const kind of [ClassRuntime, Pod, Service, HorizontalPodAutoscaler])
    await client.listPage<KubeObject>(kind, { limit: 1 })
  const secret = { namespace: any.name, name: 'x' }
  expect(await outcomesOf([['reads a Secret', client.get(Secret, secret)]])).toEqual(['reads a Secret: refused'])
})

test('the API orders, previews and deletes runtimes with the rights of the chart', { timeout: 240_000 }, async () => {
  await using world = await RuntimesWorld.make()
  await ensureHome(world.client)
  await using database = await emptyDatabase()
  await using release = await installed()
  await using account = await accountOf(`${release.name}-api`)
  const own = {
    DATABASE_URL: database.url,
    CAELUS_KUBECONFIG: account.kubeconfig,
    CAELUS_DATA_DIR: join(account.dir, 'data'),
    CAELUS_PORT: '0',
    CAELUS_LOG_FORMAT: 'json',
  }
  await printed(['migrate'], own)
  const token = (await printed(['create-admin', 'ada@example.test'], own)).trim()
  await using api = start(['api'], own)
  const [, url = ''] = await api.says(/"url":"(http:[^"]+)"/)
  const remote = { CAELUS_URL: url, CAELUS_TOKEN: token }
  const run = (...args: string[]) => printed(args, remote)
  const id = `${world.namespace}/cart`
  const file = join(account.dir, 'cart.yaml')
  await writeFile(file, stringify(runtimeAt(world.namespace)))
  // It may have asked before its rights were known.
  await expect.poll(async () => (await caelus(['list-runtimes'], remote)).err, { timeout: 60_000 }).toBe('')

  expect(await run('apply-runtime', '-f', file, '--dry-run')).toContain(`${id} would be created`)
  expect(await run('apply-runtime', '-f', file)).toBe(`${id} applied, generation 1\n`)
  await writeFile(file, stringify(runtimeAt(world.namespace, 'registry.example/hello:2')))
  expect(await run('apply-runtime', '-f', file)).toBe(`${id} applied, generation 2\n`)
  await run('timeline-runtime', id)
  expect(await run('delete-runtime', id)).toBe(`deleted ${id}\n`)

  const { client } = account
  const refused: readonly Attempt[] = [
    ['makes a workload', client.apply(Deployment, workloadAt(world.namespace))],
    ['writes a status', client.patchStatus(ClassRuntime, world.at('cart'), { merge: { status: {} } })],
    [
      'takes a finalizer off',
      client.patch(ClassRuntime, world.at('cart'), { merge: { metadata: { finalizers: [] } } }),
    ],
    ['deletes a Service', client.delete(Service, world.at(CHILD))],
  ]
  expect(await outcomesOf(refused)).toEqual(refused.map(([what]) => `${what}: refused`))
})

const runtimeAt = (namespace: string, image?: string) => ({
  apiVersion: 'oaas.io/v1alpha1' as const,
  kind: 'ClassRuntime' as const,
  metadata: { namespace, name: 'cart' },
  spec: {
    selected_template: 'k8s_deployment',
    addons: [],
    functions: [fn('add', image === undefined ? {} : { container_image: image })],
  },
})

const workloadAt = (namespace: string) => ({
  apiVersion: 'apps/v1' as const,
  kind: 'Deployment' as const,
  metadata: { namespace, name: 'x' },
  spec: {
    selector: { matchLabels: { app: 'x' } },
    template: {
      metadata: { labels: { app: 'x' } },
      spec: { containers: [{ name: 'x', image: 'registry.example/x:1' }] },
    },
  },
})
