import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { insightLane, readClusters, type ClusterAccess } from '../../../src/domains/apps/index.ts'
import { insightOf } from '../../../src/processes/apps/control-plane.ts'
import { startAll, systemClock } from '../../../src/kernel/index.ts'
import {
  Deployment,
  httpTransport,
  loadKubeConfig,
  makeClient,
  Namespace,
  type Client,
} from '../../../src/kube/index.ts'
import { DEPLOYMENT_LABEL } from '../../../src/domains/apps/fence.ts'
import { openGardener } from '../../../src/domains/clusters/gardener/client.ts'
import type { Gardener } from '../../../src/domains/clusters/gardener/gardener.ts'
import { openMockGarden } from '../../../src/domains/clusters/gardener/stand-in/mock.ts'
import { startControlPlane, type ControlPlane } from '../../../tools/control-plane/index.ts'
import { layVolume } from '../../support/volume.ts'
import { clustersEmitter, clustersOf, GARDENER, startClusters } from './in-clusters.ts'
import { ADMIN, WorkerWorld } from './world.ts'

const LIFE_MS = 4_000
const NEVER = new AbortController().signal

let cluster: ControlPlane
let inside: Client
let dir: string
let closing: () => Promise<void>

/** A second control plane, which is the cluster of an organization. */
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'caelus-clusters-test-'))
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

/** The row of a cluster of an organization in which the tenant of the world has a role. */
async function clusterOf({ database: { pool }, userId }: WorkerWorld, role: string): Promise<string> {
  const [row] = await pool.query<{ id: string }>(
    `with organization as (insert into tenant.organizations (name) values ('of ' || gen_random_uuid()) returning id),
       member as (
         insert into tenant.organization_members (organization_id, user_id, role) select id, $1, $2 from organization)
     insert into tenant.clusters (organization_id, name, region, kubernetes_version)
     select id, 'shop', 'local', '1.34' from organization returning id`,
    [userId, role],
  )
  return row!.id
}

/** What the API would tell about it. */
async function insightInto(world: WorkerWorld, access: ClusterAccess) {
  const parts = await world.parts()
  const { inPlace, services } = readClusters(clustersOf(world, access), parts)
  const stop = await startAll(services)
  onTestFinished(stop)
  const lane = insightLane({ clock: systemClock, concurrency: 1, limitMs: 30_000 })
  return insightOf(parts, world, lane, inPlace)
}

test('an app runs in the cluster that it names, waits while that is away, recovers, and goes', async () => {
  await using world = await WorkerWorld.make()
  const clusterId = await clusterOf(world, 'member')
  let asked = 0
  const access: ClusterAccess = {
    async kubeconfig(id) {
      expect(id).toBe(clusterId)
      asked++
      return { kubeconfig: cluster.kubeconfigText, expiresAt: Date.now() + LIFE_MS }
    },
  }
  const { told } = await world.worker({ clusters: clustersOf(world, access) })
  const outcomes: string[] = []
  told.on('reconcile:end', ({ outcome }) => void outcomes.push(outcome))
  const changes: (string | undefined)[] = []
  told.on('apps:cluster', ({ failure }) => void changes.push(failure?.code))
  const { userId, templateId } = world
  const made = await world.apps.createDeployment(ADMIN, { userId, templateId, clusterId, domainname: 'in.example.com' })
  const { id, namespaceName: namespace } = made
  const at = { namespace, name: namespace }
  await layVolume(inside, { namespace, name: `${namespace}-data` })
  const beside = await world.order({}, 'beside.example.com')

  expect((await world.until(id, 'ready')).clusterId).toBe(clusterId)
  await world.until(beside.id, 'ready')
  expect(await inside.get(Deployment, at)).toBeDefined()
  expect(await world.client.get(Namespace, { name: namespace })).toBeUndefined()
  expect(await inside.get(Namespace, { name: beside.namespaceName })).toBeUndefined()

  const insight = await insightInto(world, access)
  const kinds = (await insight.resources(id, NEVER)).map(({ kind }) => kind)
  expect(kinds).toEqual(expect.arrayContaining(['Deployment', 'Pod']))
  const change = await world.apps.previewUpdate(ADMIN, { id }, { domainname: 'new.example.com' })
  expect((await insight.preview(change, NEVER)).objects).toMatchObject([
    { object: `Ingress/${namespace}`, change: 'changed' },
  ])
  expect((await insight.explain(id, NEVER)).why).toContain('everything in it is healthy')

  await cluster.killApiServer()
  await world.apps.updateDeployment(ADMIN, { id }, { domainname: 'new.example.com' })
  const failure = async () => (await world.row(id)).lastError
  await expect.poll(failure, { timeout: 40_000 }).toMatchObject({
    code: 'ClusterUnreachable',
    message: expect.stringContaining(`cluster ${clusterId}: `),
    nextStep: expect.stringContaining('retried by itself'),
  })
  expect(await insight.explain(id, NEVER)).toMatchObject({
    why: expect.arrayContaining([expect.stringContaining('its cluster cannot be used')]),
    whoseMove: 'platform',
  })
  // Nobody else notices.
  await world.apps.updateDeployment(ADMIN, { id: beside.id }, { domainname: 'still.example.com' })
  await world.until(beside.id, 'ready', 60_000)
  expect((await world.row(id)).status).not.toBe('error')

  await cluster.restartApiServer()
  await world.until(id, 'ready')
  expect((await world.row(id)).lastError).toBeNull()
  // The message may change while it is away.
  expect(changes.filter((code, i) => i === 0 || code !== changes[i - 1])).toEqual(['ClusterUnreachable', undefined])
  expect(outcomes.filter((outcome) => /^(?:retry|terminal|lost)/.test(outcome))).toEqual([])
  expect(asked).toBeGreaterThan(3)

  await world.apps.deleteDeployment(ADMIN, { id })
  await world.until(id, 'deleted')
  expect(await inside.get(Namespace, { name: namespace })).toBeUndefined()
  await expectNoCredentials(world.dir)
})

test('an app is ordered into clusters of the own organization only, and goes with one that is gone', async () => {
  await using world = await WorkerWorld.make()
  let isGone = false
  const access: ClusterAccess = {
    async kubeconfig() {
      if (isGone) return undefined
      throw new Error('its Shoot is being created')
    },
  }
  await world.worker({ clusters: clustersOf(world, access) })
  const { userId, templateId } = world
  const order = (clusterId: string, domainname: string) =>
    world.apps.createDeployment(ADMIN, { userId, templateId, clusterId, domainname })
  const refused = expect.objectContaining({ fields: [expect.objectContaining({ field: 'cluster_id' })] })
  await expect(order(await clusterOf(world, 'viewer'), 'a.example.com')).rejects.toEqual(refused)
  await expect(order(crypto.randomUUID(), 'b.example.com')).rejects.toEqual(refused)

  const clusterId = await clusterOf(world, 'owner')
  const { id } = await order(clusterId, 'c.example.com')
  const message = async () => (await world.row(id)).lastError?.message
  await expect.poll(message).toBe(`cluster ${clusterId}: its Shoot is being created (Unexpected)`)
  await world.apps.deleteDeployment(ADMIN, { id })
  await expect.poll(async () => (await world.row(id)).status).toBe('deleting')
  isGone = true
  await world.until(id, 'deleted', 30_000)
})

test('a cluster that is deleted with its apps goes after them', async () => {
  await using world = await WorkerWorld.make()
  const { userId, templateId, database } = world
  const removed: string[] = []
  const { clusters, access, rows } = await gardenOf(world, async () => {
    for (const { metadata } of await inside.list(Namespace, { labels: DEPLOYMENT_LABEL })) removed.push(metadata.name)
    removed.push('the Shoot')
  })
  await world.worker({ clusters: clustersOf(world, access) })
  const [joined] = await database.pool.query<{ id: string }>(
    `with made as (insert into tenant.organizations (name) values ('Acme') returning id)
     insert into tenant.organization_members (organization_id, user_id, role) select id, $1, 'owner' from made
     returning organization_id as id`,
    [userId],
  )
  const organizationId = joined?.id ?? ''
  const owner = { userId, admin: false }
  const nodePools = [{ name: 'default', machineType: 'local', autoscaleMin: 1, autoscaleMax: 1 }]
  const input = { name: 'shop', region: 'local', kubernetesVersion: '1.34', nodePools }
  const { id: clusterId } = await clusters.createCluster(owner, organizationId, input)
  // Ordered before there is a cluster.
  const made = await world.apps.createDeployment(owner, { userId, templateId, clusterId, domainname: 'x.example.com' })
  const { id, namespaceName: namespace } = made
  await layVolume(inside, { namespace, name: `${namespace}-data` })
  await world.until(id, 'ready')
  const noted = await database.pool.query(
    `select actor, tenant, detail from caelus.audit where object_id = $1 and action = 'kubeconfig for apps'`,
    [clusterId],
  )
  // One for each connection.
  const row = { actor: 'apps worker vm-1', tenant: organizationId, detail: { seconds: 3600 } }
  expect(noted).toEqual(noted.map(() => row))
  expect(noted).not.toEqual([])

  const remove = (withApps: boolean) => clusters.deleteCluster(owner, organizationId, clusterId, { withApps })
  await expect(remove(false)).rejects.toMatchObject({ failure: { code: 'ClusterInUse' } })
  await remove(true)
  await expect.poll(async () => (await rows.load(clusterId))?.sync.statusMessage).toBe('an app in it is removed first')
  await world.until(id, 'deleted', 60_000)
  await expect.poll(async () => (await rows.load(clusterId))?.sync.status, { timeout: 30_000 }).toBe('deleted')
  expect(removed).toEqual(['the Shoot'])
})

/** A worker of clusters on a simulated Gardener, whose Shoots all are the second control plane. */
async function gardenOf(world: WorkerWorld, onRemove: () => Promise<void>) {
  const parts = { clock: systemClock, random: Math.random, emitter: clustersEmitter() }
  const garden = await openMockGarden({ ...parts, pace: { stepMs: 50, steps: 2, retryMs: 1_000 } })
  const real = openGardener({ ...parts, mode: 'mock', transport: garden.transport, settings: GARDENER })
  const gardener: Gardener = {
    ...real,
    adminKubeconfig: async () => ({ kubeconfig: cluster.kubeconfigText, expiresAt: Date.now() + 3_600_000 }),
    async remove(...asked) {
      await onRemove()
      return await real.remove(...asked)
    },
  }
  onTestFinished(await startAll(garden.services))
  const started = await startClusters(world, { ...parts, gardener, settings: GARDENER })
  onTestFinished(started.stop)
  return started
}

/** The private key of the administrator is in no file of the worker. */
async function expectNoCredentials(folder: string): Promise<void> {
  const secret = /"client-key-data":\s*"([^"]{40})/.exec(cluster.kubeconfigText)?.[1] ?? expect.fail('there is no key')
  const files = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const file of files.filter((one) => one.isFile())) {
    expect(await readFile(join(file.parentPath, file.name), 'utf8')).not.toContain(secret)
  }
}
