import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ListedDeployment } from '../../src/domains/apps/usecases/index.ts'
import { openGardener } from '../../src/domains/clusters/gardener/client.ts'
import { Shoots } from '../../src/domains/clusters/gardener/resources.ts'
import { CLUSTER_ID, CONFIRM_DELETION, ORGANIZATION_ID, type Shoot } from '../../src/domains/clusters/gardener/shoot.ts'
import { ORPHAN_LIMITS, type ShootStatus, type ShootSummary, type SyncState } from '../../src/domains/clusters/index.ts'
import { ORPHANS_KEY } from '../../src/domains/clusters/queue.ts'
import type { GardenerSettings } from '../../src/domains/clusters/shoot/wanted.ts'
import { openIdentity } from '../../src/identity/index.ts'
import { systemClock } from '../../src/kernel/index.ts'
import {
  ConfigMap,
  Deployment,
  httpTransport,
  Ingress,
  loadKubeConfig,
  makeClient,
  Namespace,
  type Client,
  type HttpTransport,
} from '../../src/kube/index.ts'
import { startControlPlane, type ControlPlane } from '../../tools/control-plane/index.ts'
import { exampleShoot } from '../../tools/garden/example-shoot.ts'
import { endpointOf, startGarden, type Garden, type ShootEndpoint } from '../../tools/garden/index.ts'
import { startPostgres } from '../../tools/postgres/postgres.ts'
import { clustersEmitter, clustersOf, startClusters, type ClustersOfWorld } from '../apps/worker/in-clusters.ts'
import type { OpenWorker } from '../apps/worker/parts.ts'
import { ADMIN, WorkerWorld } from '../apps/worker/world.ts'
import { UNDISTURBED } from '../clusters/undisturbed.ts'
import { order } from '../clusters/world.ts'
import { createUser } from '../support/users.ts'
import { layVolume } from '../support/volume.ts'

const PACE = { stepMs: 50, steps: 5, retryMs: 500 }
const PATIENCE = { timeout: 60_000, interval: 100 }
const HOLD = 'caelus.io/held-by-a-test'

const settings: GardenerSettings = {
  providerType: 'local',
  cloudProfile: 'local',
  credentialsBindingName: 'local',
  credentialsFrom: 'garden',
  maxShootNameLen: 21,
  networkingType: 'calico',
  nodesCidr: '10.0.0.0/16',
}

const dir = await mkdtemp(join(tmpdir(), 'caelus-apps-in-clusters-'))
const ending: (() => Promise<unknown>)[] = [() => rm(dir, { recursive: true, force: true })]
const emitter = clustersEmitter()
/** Passes look at them anew each time. */
const orphanLimits = { ...ORPHAN_LIMITS, graceMs: 86_400_000 }
const owner = { userId: '', admin: false }
const member = { userId: '', admin: false }
let organizationId = ''
let garden: Garden
/** The control plane that stands behind all Shoots. */
let behind: ControlPlane
let inside: Client
let operator: Client
let world: WorkerWorld
let worker: OpenWorker
let inGarden: ClustersOfWorld
let oldOrphan: Shoot

const connected = async (kubeconfig: string): Promise<HttpTransport> => {
  const transport = httpTransport(await loadKubeConfig({ path: kubeconfig }))
  ending.push(() => transport.close())
  return transport
}

beforeAll(async () => {
  let endpoint: ShootEndpoint
  const [startedGarden, platform, postgres] = await Promise.all([
    startGarden({ dir: join(dir, 'garden'), pace: PACE, endpointOf: () => endpoint }),
    startControlPlane({ dir: join(dir, 'platform'), nodeCount: 1 }),
    startPostgres(),
  ])
  garden = startedGarden
  ending.push(() => Promise.all([garden.stop(), platform.stop(), postgres.stop()]))
  const clientAuthorities = [garden.clientAuthority]
  behind = await startControlPlane({ dir: join(dir, 'behind'), nodeCount: 1, clientAuthorities })
  ending.push(() => behind.stop())
  endpoint = await endpointOf(behind.kubeconfig)
  inside = makeClient(await connected(behind.kubeconfig), { fieldManager: 'test' })
  const transport = await connected(garden.kubeconfig)
  operator = makeClient(transport, { fieldManager: 'operator' })

  world = await WorkerWorld.make({}, platform.kubeconfig, postgres.url)
  ending.push(async () => world[Symbol.asyncDispose]())
  const { pool } = world.database
  member.userId = world.userId
  owner.userId = await createUser(pool, 'ann@example.com')
  organizationId = (await openIdentity({ pool, usage: [] }).createOrganization(owner, { name: 'Acme' })).id
  await pool.query(
    `insert into tenant.organization_members (organization_id, user_id, role) values ($1, $2, 'member')`,
    [organizationId, member.userId],
  )
  oldOrphan = await orphan('old')
  const gardener = openGardener({ mode: 'real', transport, settings, clock: systemClock, emitter })
  inGarden = await startClusters(world, {
    gardener,
    settings,
    emitter,
    orphans: orphanLimits,
    // Nothing but the watch tells of changes.
    passMs: 3_600_000,
  })
  ending.push(inGarden.stop)
  worker = await world.worker({ clusters: clustersOf(world, inGarden.access) })
})
afterAll(async () => {
  for (const end of ending.toReversed()) await end()
})

/** A Shoot that looks like one of ours, and of which no row knows. */
const orphan = (name: string): Promise<Shoot> => {
  const draft = exampleShoot('garden', name)
  const labels = { [CLUSTER_ID]: crypto.randomUUID(), [ORGANIZATION_ID]: organizationId }
  return operator.create(Shoots, { ...draft, metadata: { ...draft.metadata, labels } })
}

const syncOf = async (id: string): Promise<SyncState> =>
  (await inGarden.rows.load(id))?.sync ?? expect.fail(`there is no cluster ${id}`)

async function becomes(id: string, status: ShootStatus): Promise<ShootSummary | null> {
  const told = async (): Promise<string> => {
    const { failure, statusMessage, ...sync } = await syncOf(id)
    const isCurrent = status === 'deleted' || sync.syncedGeneration === sync.generation
    return sync.status === status && isCurrent ? status : `${sync.status}: ${statusMessage} ${failure?.message ?? ''}`
  }
  await expect.poll(told, PATIENCE).toBe(status)
  return (await syncOf(id)).shoot
}

/** A new cluster, once it is ready. */
async function readyCluster(name: string): Promise<{ readonly id: string; readonly shoot: ShootSummary }> {
  const { id } = await inGarden.clusters.createCluster(owner, organizationId, order({ name, maintenance: UNDISTURBED }))
  return { id, shoot: (await becomes(id, 'ready')) ?? expect.fail('it has no Shoot') }
}

const shootAt = ({ namespace = '', name }: { readonly namespace?: string; readonly name: string }) =>
  operator.get(Shoots, { namespace, name })

describe('an app in a cluster of an organization', () => {
  let clusterId = ''
  let shoot: ShootSummary
  let app: ListedDeployment
  let beside: ListedDeployment
  const outcomes: string[] = []
  const hostIn = async (client: Client, namespace: string) =>
    (await client.get(Ingress, { namespace, name: namespace }))?.spec?.rules?.[0]?.host

  test('runs there, and not in the control plane of the platform', async () => {
    ;({ id: clusterId, shoot } = await readyCluster('shop'))
    expect((await shootAt(shoot))?.status?.lastOperation).toMatchObject({ type: 'Create', state: 'Succeeded' })

    worker.told.on('reconcile:end', ({ outcome }) => void outcomes.push(outcome))
    const { userId, templateId } = world
    app = await world.apps.createDeployment(member, { userId, templateId, clusterId, domainname: 'in.example.com' })
    const { namespaceName: namespace } = app
    await layVolume(inside, { namespace, name: `${namespace}-data` })
    beside = await world.order({}, 'beside.example.com')
    await world.until(app.id, 'ready')
    await world.until(beside.id, 'ready')

    expect((await inside.get(Deployment, { namespace, name: namespace }))?.status?.readyReplicas).toBe(1)
    expect(await world.client.get(Namespace, { name: namespace })).toBeUndefined()
    expect(await world.client.get(Namespace, { name: beside.namespaceName })).toBeDefined()
    expect(await inside.get(Namespace, { name: beside.namespaceName })).toBeUndefined()
  })

  test('waits while the cluster does not answer, disturbs nobody, and goes on', async () => {
    await behind.killApiServer()
    await world.apps.updateDeployment(member, { id: app.id }, { domainname: 'changed.example.com' })
    const failure = async () => (await world.row(app.id)).lastError
    await expect.poll(failure, PATIENCE).toMatchObject({
      code: 'ClusterUnreachable',
      message: expect.stringContaining(`cluster ${clusterId}: `),
      nextStep: expect.stringContaining('retried by itself'),
    })
    await world.apps.updateDeployment(ADMIN, { id: beside.id }, { domainname: 'still.example.com' })
    await world.until(beside.id, 'ready', PATIENCE.timeout)
    expect(await hostIn(world.client, beside.namespaceName)).toBe('still.example.com')
    expect(await failure()).toMatchObject({ code: 'ClusterUnreachable' })
    expect((await world.apps.listJobs(ADMIN, { deploymentId: app.id, limit: 1 })).items).toMatchObject([{ attempt: 0 }])

    await behind.restartApiServer()
    await world.until(app.id, 'ready')
    expect(await hostIn(inside, app.namespaceName)).toBe('changed.example.com')
    expect(outcomes.filter((outcome) => /^(?:retry|terminal|lost)/.test(outcome))).toEqual([])
  })

  test('keeps its cluster from being deleted, and goes before it', async () => {
    const { namespaceName: namespace } = app
    const remove = (withApps: boolean) =>
      inGarden.clusters.deleteCluster(owner, organizationId, clusterId, { withApps })
    await expect(remove(false)).rejects.toMatchObject({ failure: { code: 'ClusterInUse' } })
    expect(await syncOf(clusterId)).toMatchObject({ status: 'ready' })

    const held = { namespace, name: 'held' }
    await inside.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...held, finalizers: [HOLD] } })
    await remove(true)
    const isLeaving = async () => (await inside.get(Namespace, { name: namespace }))?.metadata.deletionTimestamp
    await expect.poll(isLeaving, PATIENCE).toBeDefined()
    const message = async () => (await syncOf(clusterId)).statusMessage
    await expect.poll(message, PATIENCE).toBe('an app in it is removed first')
    expect((await shootAt(shoot))?.metadata.deletionTimestamp).toBeUndefined()
    expect((await world.row(app.id)).status).toBe('deleting')

    await inside.patch(ConfigMap, held, { merge: { metadata: { finalizers: null } } })
    await world.until(app.id, 'deleted', PATIENCE.timeout)
    expect(await inside.get(Namespace, { name: namespace })).toBeUndefined()
    await becomes(clusterId, 'deleted')
    expect(await shootAt(shoot)).toBeUndefined()
  })
})

describe('a foreign hand', () => {
  let id = ''
  let shoot: ShootSummary

  const workersOf = (found: Shoot | undefined) => found?.spec.provider.workers ?? []

  test('cannot keep a Shoot other than it was ordered', async () => {
    ;({ id, shoot } = await readyCluster('edited'))
    const workers = workersOf(await shootAt(shoot)).map((one) => ({ ...one, maximum: 7 }))
    const change = { spec: { provider: { workers }, hibernation: { enabled: true } } }
    const edited = await operator.patch(Shoots, shoot, { merge: change })
    expect(workersOf(edited)).toMatchObject([{ maximum: 7 }])
    const asOrdered = async () => {
      const found = await shootAt(shoot)
      return [workersOf(found).map(({ maximum }) => maximum), found?.spec.hibernation?.enabled]
    }
    await expect.poll(asOrdered, PATIENCE).toEqual([[3], false])
    expect((await becomes(id, 'ready'))?.uid).toBe(shoot.uid)
    const messages = async () =>
      (await inGarden.clusters.listEvents(member, organizationId, id, { limit: 20 })).items.map(
        ({ message }) => message,
      )
    await expect.poll(messages, PATIENCE).toContain('a change by hand was undone')
  })

  test('deletes a Shoot, and it is made anew', async () => {
    await operator.patch(Shoots, shoot, { merge: { metadata: { annotations: { [CONFIRM_DELETION]: 'true' } } } })
    await operator.delete(Shoots, shoot)
    const uid = async () => (await shootAt(shoot))?.metadata.uid ?? shoot.uid
    await expect.poll(uid, PATIENCE).not.toBe(shoot.uid)
    expect((await becomes(id, 'ready'))?.uid).toBe(await uid())
  })

  /** Until one that began after this call has ended. */
  async function passOverOrphans(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<string>()
    const unsubscribe = emitter.on('reconcile:end', ({ key, outcome }) => {
      if (key.kind === ORPHANS_KEY.kind) resolve(outcome)
    })
    await inGarden.queue.wake(ORPHANS_KEY, { reason: 'drift' })
    expect(await promise).not.toMatch(/^(?:retry|terminal|lost)/)
    unsubscribe()
  }

  test('leaves a Shoot without a row, which goes once it is old enough', async () => {
    const removed: string[] = []
    emitter.on('clusters:orphanRemoved', (told) => void removed.push(told.shoot))
    const young = await orphan('young')
    await passOverOrphans()
    expect(removed).toEqual([])

    orphanLimits.graceMs = Date.now() - Date.parse(oldOrphan.metadata.creationTimestamp ?? '')
    await passOverOrphans()
    expect(removed).toEqual(['garden/old'])
    await expect.poll(() => shootAt(oldOrphan.metadata), PATIENCE).toBeUndefined()
    expect(await shootAt(young.metadata)).toMatchObject({ metadata: { uid: young.metadata.uid } })
    expect((await shootAt(young.metadata))?.metadata.deletionTimestamp).toBeUndefined()
    await becomes(id, 'ready')
  })
})
