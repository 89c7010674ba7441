import { clustersWorker, CLUSTERS_QUEUE, type Cluster, type ClustersEvents } from '../../src/domains/clusters/index.ts'
import type { ClustersWorkerDeps } from '../../src/domains/clusters/index.ts'
import type { ClusterRow } from '../../src/domains/clusters/fake/rows.ts'
import { openGardener } from '../../src/domains/clusters/gardener/client.ts'
import { Shoots } from '../../src/domains/clusters/gardener/resources.ts'
import { CLUSTER_ID, CONFIRM_DELETION } from '../../src/domains/clusters/gardener/shoot.ts'
import { gardenDefinitions } from '../../src/domains/clusters/gardener/stand-in/definitions.ts'
import { GARDEN } from '../../src/domains/clusters/gardener/stand-in/landscape.ts'
import {
  createEmitter,
  decisionLog,
  keyText,
  type KernelEvents,
  type Random,
  type Service,
} from '../../src/kernel/index.ts'
import { isConflict, isForbidden, isInvalid, isNotFound, type WatchEvents } from '../../src/kube/index.ts'
import { ALL_FAULTS, perAwait } from '../faults.ts'
import type { Law, Laws, Scenario } from '../scenario.ts'
import type { Ports, User, World } from '../world.ts'
import { idOf, Landscape, placeOf, SETTINGS, wishIn, wishOf } from './landscape.ts'

const NAMES = ['one', 'two', 'three'] as const
const ORGANIZATIONS = ['o1', 'o2'] as const
const VERSIONS = ['1.34.1', '1.34.3', '1.35.1', '1.35.4'] as const
const STRAY = 'stray'
/** More of them than clusters would be kept. */
const MOST_STRAYS = 2

const oneOf = <T>(random: Random, all: readonly [T, ...T[]]): T => all[Math.floor(random() * all.length)] ?? all[0]

/** An organization orders, changes and deletes clusters, and asks for operations. */
const tenant =
  (world: World, { clusters }: Landscape) =>
  async ({ random, pause, note }: User): Promise<void> => {
    const present = new Map<string, string>()
    for (let act = 1; act <= 14; act++) {
      await pause(7_000)
      const name = oneOf(random, NAMES)
      const id = present.get(name)
      const row = id === undefined ? undefined : clusters.get(id)
      const patience = id !== undefined && random() < 0.4 ? 8 : 0
      for (let looks = 0; looks < patience && clusters.get(id ?? '')?.sync.status !== 'ready'; looks++)
        await pause(5_000)
      if (id === undefined || row === undefined) {
        const made = `${name}-${act}`
        present.set(name, made)
        note(`orders ${made}`)
        const organizationId = oneOf(random, ORGANIZATIONS)
        await clusters.order({ id: made, name, organizationId, kubernetesVersion: '1.34.1' })
      } else if (random() < 0.3) {
        note(`deletes ${id}`)
        present.delete(name)
        await clusters.remove(id)
      } else if (random() < 0.2) {
        note(`asks for a reconcile of ${id}`)
        const requestedAt = world.clock.now()
        await clusters.change(id, { operation: { id: `op${act}`, kind: 'reconcile', requestedAt } })
      } else {
        const change = changeOf(random, act, row.cluster)
        note(`changes ${id}: ${JSON.stringify(change)}`)
        await clusters.change(id, change)
      }
    }
  }

function changeOf(random: Random, act: number, cluster: Cluster): Partial<Cluster> {
  const kind = random()
  if (kind < 0.3) {
    const next = VERSIONS.findIndex((version) => version === cluster.kubernetesVersion) + 1
    return { kubernetesVersion: VERSIONS[Math.min(next, VERSIONS.length - 1)] ?? '1.35.4' }
  }
  if (kind < 0.5) return { isHibernated: !cluster.isHibernated }
  return { nodePools: cluster.nodePools.map((pool) => ({ ...pool, autoscaleMax: 3 + act })) }
}

/** Somebody with rights in the garden edits and deletes Shoots, and leaves some behind. */
const meddler =
  (landscape: Landscape) =>
  async ({ client, random, pause, note }: User): Promise<void> => {
    const meddle = (what: Promise<unknown>): Promise<unknown> =>
      what.catch((error: unknown) => {
        if (!isNotFound(error) && !isConflict(error) && !isInvalid(error)) throw error
      })
    let left = 0
    for (let act = 1; act <= 8; act++) {
      await pause(18_000)
      const [first, ...rest] = landscape.shoots()
      if (first === undefined) continue
      const shoot = oneOf(random, [first, ...rest])
      const at = placeOf(shoot)
      const chance = random()
      if (chance < 0.5) {
        note(`edits ${at.name}`)
        await meddle(client.patch(Shoots, at, { merge: { spec: { hibernation: { enabled: random() < 0.5 } } } }))
      } else if (chance < 0.75) {
        note(`deletes ${at.name}`)
        landscape.theirs.add(shoot.metadata.uid ?? '')
        const confirmed = { merge: { metadata: { annotations: { [CONFIRM_DELETION]: 'true' } } } }
        await meddle(client.patch(Shoots, at, confirmed))
        // Made anew in between, it is not confirmed.
        await meddle(client.delete(Shoots, at)).catch((error: unknown) => {
          if (!isForbidden(error)) throw error
        })
      } else if (left++ < MOST_STRAYS) {
        note(`leaves a Shoot behind`)
        const labels = { ...shoot.metadata.labels, [CLUSTER_ID]: `${STRAY}-${act}` }
        const metadata = { name: `${STRAY}${act}`, namespace: at.namespace, labels }
        const { apiVersion, spec } = shoot
        await meddle(client.create(Shoots, { apiVersion, kind: 'Shoot', metadata, spec }))
      }
    }
  }

/** The infrastructure fails and heals again. */
const weather =
  (landscape: Landscape) =>
  async ({ random, pause, note }: User): Promise<void> => {
    for (let act = 1; act <= 4; act++) {
      await pause(25_000)
      const [first, ...rest] = landscape.shoots().filter((shoot) => landscape.clusters.get(idOf(shoot)) !== undefined)
      if (first === undefined) continue
      const at = placeOf(oneOf(random, [first, ...rest]))
      const chance = random()
      note(`troubles ${at.name}`)
      const gone = (error: unknown): void => {
        if (!isNotFound(error)) throw error
      }
      if (chance < 0.4)
        await landscape.lets
          .fail(at, { state: 'Failed', description: 'too fast', codes: ['ERR_INFRA_RATE_LIMITS_EXCEEDED'], at: 0 })
          .catch(gone)
      else if (chance < 0.7) await landscape.lets.fail(at, { description: 'no answer' }).catch(gone)
      else await landscape.lets.degrade(at, { type: 'ControlPlaneHealthy', message: 'etcd is away' }).catch(gone)
      await pause(20_000)
      note(`heals ${at.name}`)
      await landscape.lets.heal(at).catch(gone)
    }
  }

const everyRowIsTrue =
  (landscape: Landscape): Law =>
  () => {
    for (const row of landscape.clusters.table.committed()) {
      const problem = row.cluster.deletedAt === null ? notReady(row, landscape) : notGone(row, landscape)
      const { id } = row.cluster
      const { status, statusMessage, failure } = row.sync
      if (problem !== undefined)
        return `${id} (${status}, ${statusMessage}, ${failure?.message ?? 'no error'}): ${problem}`
    }
    return undefined
  }

function notReady({ cluster, sync }: ClusterRow, landscape: Landscape): string | undefined {
  const { status, generation, syncedGeneration, syncedAt, attempts, failure, retries, shoot } = sync
  if (syncedGeneration !== generation || syncedAt === null) return `is synced at ${syncedGeneration} of ${generation}`
  const live = landscape.shoots().filter((one) => idOf(one) === cluster.id)
  if (live.length !== 1) return `has ${live.length} Shoots`
  const [only] = live
  if (only === undefined || wishIn(only.spec) !== wishOf(cluster))
    return `asks for ${wishOf(cluster)} and has another Shoot`
  if (status !== 'ready') return 'is not ready'
  if (attempts !== 0 || failure !== null || retries !== 0) return `counts ${attempts} attempts and ${retries} retries`
  return shoot?.uid === only.metadata.uid ? undefined : 'tells of a Shoot that is no more'
}

function notGone({ cluster, sync }: ClusterRow, landscape: Landscape): string | undefined {
  if (landscape.shootOf(cluster.id) !== undefined) return 'its Shoot is left'
  return sync.status === 'deleted' ? undefined : 'does not have the status deleted'
}

const nothingIsLeftBehind =
  (landscape: Landscape): Law =>
  () => {
    const left = landscape.shoots().find((shoot) => landscape.clusters.get(idOf(shoot)) === undefined)
    return left && `Shoot ${left.metadata.name} has no row`
  }

/** Changes what a worker is given. */
export type ClustersVariant = (deps: ClustersWorkerDeps) => Partial<ClustersWorkerDeps>

export const clustersProcess =
  (world: World, landscape: Landscape, variant: ClustersVariant = () => ({})) =>
  ({ name, transport, clock, random, durableQueue, reach, note }: Ports): readonly Service[] => {
    const told = createEmitter<KernelEvents & WatchEvents & ClustersEvents>()
    told.on('reconcile:end', ({ key, outcome, because, failure }) =>
      note(`${keyText(key)}: ${outcome} ${because ?? (failure ? `${failure.code} ${failure.message}` : '')}`),
    )
    told.on('clusters:step', ({ cluster, step, failure }) => note(`${cluster}: ${step} ${failure?.code ?? 'done'}`))
    told.on('clusters:orphanRemoved', ({ shoot }) => note(`removed orphan ${shoot}`))
    told.on('clusters:orphansKept', ({ failure }) => note(failure.message))
    told.on('lease:lost', ({ key, fence }) => note(`${keyText(key)}: lost lease ${fence}`))
    const rows = reach('rows', landscape.clusters.rows, ['load', 'write', 'page', 'living', 'count', 'seen'])
    const deps: ClustersWorkerDeps = {
      gardener: openGardener({ mode: 'mock', transport, settings: SETTINGS, clock, random, emitter: told }),
      settings: SETTINGS,
      queue: durableQueue(CLUSTERS_QUEUE),
      rows,
      clock,
      random,
      emitter: told,
      decisions: decisionLog(),
      instance: name,
      concurrency: world.rarely(4, 1),
      pollMs: 2_000,
      passMs: 45_000,
      statusPollMs: 10_000,
      orphans: { graceMs: 30_000, atMost: 3 },
      backoff: { baseMs: 1_000, capMs: 15_000 },
    }
    return clustersWorker({ ...deps, ...variant(deps) })
  }

/** A run makes a dozen calls. */
const FAULTS = perAwait(ALL_FAULTS, 0.4)

/** Two workers of clusters on one queue and one garden; or a variant of them with a fault planted on purpose. */
export const clustersScenario = (name = 'clusters', variant: ClustersVariant = () => ({})): Scenario => ({
  name,
  definitions: gardenDefinitions,
  namespaces: [GARDEN],
  faults: FAULTS,
  faultsMs: 100_000,
  convergeMs: 1_500_000,
  // Another try of what Gardener gave up is asked for after minutes.
  stillMs: 300_000,
  setup(world): Laws {
    const landscape = new Landscape(world)
    world.process('worker', clustersProcess(world, landscape, variant))
    world.user('tenant', tenant(world, landscape))
    world.user('meddler', meddler(landscape))
    world.user('weather', weather(landscape))
    return {
      always: { 'a Shoot is written by its holder alone, and told as it is': () => landscape.broken },
      eventually: {
        'every row is true': everyRowIsTrue(landscape),
        'no Shoot is left without a row': nothingIsLeftBehind(landscape),
      },
    }
  },
})
