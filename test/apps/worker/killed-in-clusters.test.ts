import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, type TestContext } from 'vitest'
import { FENCE_ANNOTATION, fenced, isStale } from '../../../src/domains/apps/fence.ts'
import { openGardener } from '../../../src/domains/clusters/gardener/client.ts'
import { systemClock } from '../../../src/kernel/index.ts'
import {
  ConfigMap,
  httpTransport,
  loadKubeConfig,
  makeClient,
  Namespace,
  Secret,
  type Client,
} from '../../../src/kube/index.ts'
import { startControlPlane, type ControlPlane } from '../../../tools/control-plane/index.ts'
import { servedGarden } from '../../clusters/served-garden.ts'
import { layVolume } from '../../support/volume.ts'
import { writeChart } from '../helm/world.ts'
import { claim, hanging, hookOnClaim, page } from './charts.ts'
import { clustersEmitter, clustersOf, GARDENER, startClusters } from './in-clusters.ts'
import { ADMIN, WorkerWorld } from './world.ts'

/* Workers in processes of their own that end or stand still while they work inside of a cluster. */

const LONG = { timeout: 300_000 }
const PATIENCE = { timeout: 90_000, interval: 50 }

let cluster: ControlPlane
let inside: Client
let dir: string
let closing: () => Promise<void>

/** The control plane behind all Shoots. */
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'caelus-killed-in-clusters-'))
  cluster = await startControlPlane({ dir, nodeCount: 1 })
  const transport = httpTransport(await loadKubeConfig({ path: cluster.kubeconfig }))
  inside = makeClient(transport, { fieldManager: 'test' })
  closing = () => transport.close()
})
afterAll(async () => {
  await closing()
  await cluster.stop()
  await rm(dir, { recursive: true, force: true })
})

const statusesIn = async (namespace: string): Promise<(string | undefined)[]> =>
  (await inside.list(Secret, { namespace, labels: 'owner=helm' })).map(({ metadata }) => metadata.labels?.['status'])

const textIn = async (namespace: string): Promise<string | undefined> =>
  (await inside.get(ConfigMap, { namespace, name: 'page' }))?.data?.['text']

const fenceOf = async (name: string): Promise<number> =>
  Number((await inside.get(Namespace, { name }))?.metadata.annotations?.[FENCE_ANNOTATION])

const exists = async (client: Client, name: string): Promise<boolean> =>
  (await client.get(Namespace, { name })) !== undefined

/** A world whose tenant has a cluster of a garden that other processes reach too. */
async function inCluster(world: WorkerWorld, { onTestFinished, expect: expectHere }: TestContext) {
  const garden = await servedGarden(world.dir, { kubeconfigOf: () => cluster.kubeconfigText })
  onTestFinished(() => garden[Symbol.asyncDispose]())
  const parts = { clock: systemClock, random: Math.random, emitter: clustersEmitter() }
  const gardener = openGardener({ ...parts, mode: 'mock', transport: garden.mock.transport, settings: GARDENER })
  const { clusters, access, rows, stop } = await startClusters(world, { ...parts, gardener, settings: GARDENER })
  onTestFinished(stop)
  const { userId, database } = world
  const [joined] = await database.pool.query<{ id: string }>(
    `with made as (insert into tenant.organizations (name) values ('Acme') returning id)
     insert into tenant.organization_members (organization_id, user_id, role) select id, $1, 'owner' from made
     returning organization_id as id`,
    [userId],
  )
  const owner = { userId, admin: false }
  const { id: clusterId } = await clusters.createCluster(owner, joined?.id ?? '', {
    name: 'shop',
    region: 'local',
    kubernetesVersion: '1.34',
    nodePools: [{ name: 'default', machineType: 'local', autoscaleMin: 1, autoscaleMax: 1 }],
  })
  await expectHere.poll(async () => (await rows.load(clusterId))?.sync.status, PATIENCE).toBe('ready')
  return {
    /** Starts a worker in a process of its own. */
    process: (dieAt?: string) =>
      world.process({ garden: garden.env['GARDENER_KUBECONFIG'] ?? '', ...(dieAt !== undefined && { dieAt }) }),
    /** Starts one in this process. */
    worker: () => world.worker({ clusters: clustersOf(world, access) }),
    order: (templateId: string, domainname: string) =>
      world.apps.createDeployment(ADMIN, { userId, templateId, clusterId, domainname }),
  }
}

/** A worker in the middle of an install, an upgrade and an uninstall, none of which ends before volumes are laid. */
async function busyWorker(world: WorkerWorld, context: TestContext) {
  const at = await inCluster(world, context)
  const chartVersion = '1.1.0'
  const leave = { 'page.yaml': page('leaving'), 'claim.yaml': claim, 'hook.yaml': hookOnClaim('pre-delete') }
  const [hangs, one, two, leaves] = await Promise.all([
    writeChart(world.dir, hanging()).then((chart) => world.publish(chart)),
    writeChart(world.dir, { 'page.yaml': page('one') }).then((chart) => world.publish(chart)),
    writeChart(world.dir, hanging('two'), { version: chartVersion }).then((chart) =>
      world.publish(chart, { chartVersion }),
    ),
    writeChart(world.dir, leave).then((chart) => world.publish(chart)),
  ])
  const first = await at.process()
  const upgraded = await at.order(one, 'upgraded.example.com')
  const removed = await at.order(leaves, 'removed.example.com')
  await Promise.all([world.until(upgraded.id, 'ready'), world.until(removed.id, 'ready')])
  const installed = await at.order(hangs, 'installed.example.com')
  await world.apps.updateDeployment(ADMIN, { id: upgraded.id }, { templateId: two })
  await world.apps.deleteDeployment(ADMIN, { id: removed.id })
  const apps = { installed, upgraded, removed }
  const namespaces = [installed, upgraded, removed].map(({ namespaceName }) => namespaceName)
  const newest = () => Promise.all(namespaces.map(async (namespace) => (await statusesIn(namespace)).at(-1)))
  await context.expect.poll(newest, PATIENCE).toEqual(['pending-install', 'pending-upgrade', 'uninstalling'])
  return {
    ...at,
    ...apps,
    first,
    letThemEnd: async () => {
      for (const namespace of namespaces) {
        const volume = await layVolume(inside, { namespace, name: `${namespace}-data` })
        context.onTestFinished(() => volume[Symbol.asyncDispose]())
      }
    },
    end: async () => {
      await Promise.all([
        world.until(installed.id, 'ready'),
        world.until(upgraded.id, 'ready'),
        world.until(removed.id, 'deleted'),
      ])
    },
    /** Everything is as if one worker had done it alone. */
    expectDone: async () => {
      expect(await textIn(installed.namespaceName)).toBe('installed.example.com')
      expect(await textIn(upgraded.namespaceName)).toBe('two')
      for (const { namespaceName } of [installed, upgraded]) {
        const statuses = await statusesIn(namespaceName)
        expect(statuses.filter((status) => status === 'deployed')).toHaveLength(1)
        expect(statuses.filter((status) => status?.startsWith('pending-'))).toEqual([])
      }
      expect(await exists(inside, removed.namespaceName)).toBe(false)
      for (const name of namespaces) expect(await exists(world.client, name)).toBe(false)
    },
  }
}

test.concurrent(
  'a worker killed during an install, an upgrade and an uninstall changes nothing about the end',
  LONG,
  async (context) => {
    await using world = await WorkerWorld.make()
    const { first, process, letThemEnd, end, expectDone } = await busyWorker(world, context)
    await first.kill()
    await letThemEnd()
    await process()
    await end()
    await expectDone()
  },
)

test.concurrent(
  'one that stood still during them changes nothing when it goes on, and works again',
  LONG,
  async (context) => {
    await using world = await WorkerWorld.make()
    const { first: zombie, worker, letThemEnd, end, expectDone, installed } = await busyWorker(world, context)
    zombie.pause()
    const held = { id: installed.id, fence: await fenceOf(installed.namespaceName) }
    // From now on the Helm processes of the first could end as well, had they a way into the cluster.
    await letThemEnd()
    const other = await worker()
    await end()
    await other.stop()
    zombie.wake()
    // What it had under way, had it ended its Helm too late.
    const late = inside
      .as(fenced(held.id, held.fence))
      .patch(ConfigMap, { namespace: installed.namespaceName, name: 'page' }, { merge: { data: { text: 'late' } } })
    await expect(late).rejects.toSatisfy(isStale)
    // Its credentials have ended, and so have its leases: nobody else could do this.
    await world.apps.updateDeployment(ADMIN, { id: installed.id }, { domainname: 'later.example.com' })
    const { lastError } = await world.until(installed.id, 'ready')
    expect(lastError).toBeNull()
    expect(await textIn(installed.namespaceName)).toBe('later.example.com')
    await world.apps.updateDeployment(ADMIN, { id: installed.id }, { domainname: 'installed.example.com' })
    await world.until(installed.id, 'ready')
    await expectDone()
  },
)

test.concurrent('workers killed before they create and delete the namespace are replaced', LONG, async (context) => {
  await using world = await WorkerWorld.make()
  const at = await inCluster(world, context)
  const templateId = await world.publish(await writeChart(world.dir, { 'page.yaml': page('here') }))
  const creating = await at.process('^POST /api/v1/namespaces$')
  const { id, namespaceName: namespace } = await at.order(templateId, 'a.example.com')
  await creating.died
  expect(await exists(inside, namespace)).toBe(false)
  const deleting = await at.process(`^DELETE /api/v1/namespaces/${namespace}$`)
  await world.until(id, 'ready')
  expect(await textIn(namespace)).toBe('here')
  await world.apps.deleteDeployment(ADMIN, { id })
  await deleting.died
  expect((await inside.get(Namespace, { name: namespace }))?.metadata.deletionTimestamp).toBeUndefined()
  expect(await textIn(namespace)).toBeUndefined()
  await at.process()
  await world.until(id, 'deleted')
  expect(await exists(inside, namespace)).toBe(false)
  expect(await exists(world.client, namespace)).toBe(false)
})
