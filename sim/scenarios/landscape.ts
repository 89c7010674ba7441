import { CLUSTERS_QUEUE, clusterKey, type Cluster } from '../../src/domains/clusters/index.ts'
import { fakeClusters, type ClusterRow, type FakeClusters } from '../../src/domains/clusters/fake/rows.ts'
import {
  CloudProfiles,
  Projects,
  Shoots,
  type CloudProfile,
  type Project,
} from '../../src/domains/clusters/gardener/resources.ts'
import {
  CLUSTER_ID,
  FENCE,
  GARDENER_OPERATION,
  OPERATION_ID,
  type Shoot,
  type ShootSpec,
} from '../../src/domains/clusters/gardener/shoot.ts'
import { gardenerAdmission } from '../../src/domains/clusters/gardener/stand-in/admission.ts'
import { gardenlet, type Gardenlet } from '../../src/domains/clusters/gardener/stand-in/gardenlet.ts'
import { demoProfile } from '../../src/domains/clusters/gardener/stand-in/landscape.ts'
import { projectController } from '../../src/domains/clusters/gardener/stand-in/project-controller.ts'
import type { GardenerSettings } from '../../src/domains/clusters/shoot/wanted.ts'
import { createEmitter, keyText, sameValue } from '../../src/kernel/index.ts'
import type { ObjectWrite } from '../../src/kube/fake/index.ts'
import { makeClient, type WatchEvents } from '../../src/kube/index.ts'
import type { RowChange } from '../../src/store/fake/index.ts'
import type { World } from '../world.ts'

export const SETTINGS: GardenerSettings = {
  providerType: 'local',
  cloudProfile: 'local',
  maxShootNameLen: 21,
  networkingType: 'calico',
}

/** What a row asks for, as far as users change it here. */
export const wishOf = ({ kubernetesVersion, isHibernated, nodePools }: Cluster): string =>
  JSON.stringify([kubernetesVersion, isHibernated, nodePools.map(({ autoscaleMax }) => autoscaleMax)])

export const wishIn = ({ kubernetes, hibernation, provider }: ShootSpec): string =>
  JSON.stringify([
    kubernetes.version,
    hibernation?.enabled ?? false,
    (provider.workers ?? []).map(({ maximum }) => maximum),
  ])

export const idOf = ({ metadata }: Shoot): string => metadata.labels?.[CLUSTER_ID] ?? ''
export const placeOf = ({ metadata }: Shoot) => ({ namespace: metadata.namespace ?? '', name: metadata.name })

export interface LandscapeOptions {
  /** How many apps have to go before a deleted cluster does. @default there are none */
  readonly appsLeft?: (cluster: Cluster) => number
  /** Why the Shoot of a cluster may not be deleted yet, or undefined. */
  readonly mayGo?: (cluster: Cluster) => string | undefined
}

/** The rows of clusters and the garden: what outlives every process. */
export class Landscape {
  readonly clusters: FakeClusters
  readonly lets: Gardenlet
  /** The first law that was broken by a write. */
  broken: string | undefined
  /** Uids of Shoots that somebody else deletes. */
  readonly theirs = new Set<string>()
  readonly #world: World
  readonly #mayGo: NonNullable<LandscapeOptions['mayGo']>
  /** What Gardener has succeeded with, by cluster. */
  readonly #succeeded = new Map<string, Set<string>>()

  constructor(world: World, { appsLeft, mayGo = () => undefined }: LandscapeOptions = {}) {
    this.#world = world
    this.#mayGo = mayGo
    const queue = world.queue(CLUSTERS_QUEUE, { leaseMs: world.rarely(10_000, 5_000, 20_000) })
    const table = world.table<ClusterRow>(isMoreThanTimes)
    table.onChange((change) => this.#checkRow(change))
    this.clusters = fakeClusters({
      queue,
      clock: world.clock,
      table,
      ...(appsLeft && { appsLeft }),
      onWrite: (id, fence) => world.standing.fenced(`${CLUSTERS_QUEUE} ${keyText(clusterKey(id))}`, fence),
    })
    const { kubernetes, clock, random } = world
    const admission = gardenerAdmission({
      profile: (name) =>
        (kubernetes.peek(CloudProfiles) as unknown as readonly CloudProfile[]).find(
          (one) => one.metadata.name === name,
        ),
      project: (namespace) =>
        (kubernetes.peek(Projects) as unknown as readonly Project[]).find(({ spec }) => spec?.namespace === namespace),
      binding: () => undefined,
      now: () => clock.now(),
    })
    world.admitBy((write) => {
      const object = admission(write)
      if (write.kind.kind === 'Shoot') this.#checkShoot(write)
      return object
    })
    const client = makeClient(kubernetes.transport(), { fieldManager: 'gardenlet' })
    const stands = { client, clock, random, emitter: createEmitter<WatchEvents>() }
    this.lets = gardenlet({ ...stands, pace: { stepMs: 1_500, steps: 3, retryMs: 4_000 } })
    void client.create(CloudProfiles, demoProfile)
    void this.lets.start()
    void projectController({ ...stands, delayMs: 2_000 }).start()
  }

  shoots(): readonly Shoot[] {
    return this.#world.kubernetes.peek(Shoots) as unknown as readonly Shoot[]
  }

  shootOf(id: string): Shoot | undefined {
    return this.shoots().find((shoot) => idOf(shoot) === id)
  }

  #break(how: string): void {
    this.broken ??= how
  }

  /** Sees every write of a Shoot that the server accepts. */
  #checkShoot({ operation, subresource, object, old }: ObjectWrite): void {
    const shoot = object as unknown as Shoot
    const before = old as unknown as Shoot | undefined
    const { uid = '', annotations = {}, name } = shoot.metadata
    const id = idOf(shoot)
    const row = this.clusters.get(id)
    if (operation === 'delete') {
      if (row !== undefined && row.cluster.deletedAt === null && !this.theirs.has(uid))
        this.#break(`the Shoot of the living cluster ${id} was deleted`)
      const why = before?.metadata.deletionTimestamp === undefined && row && this.#mayGo(row.cluster)
      if (why) this.#break(`the Shoot of cluster ${id} was deleted, and ${why}`)
      return
    }
    if (operation === 'create') {
      const twin = this.shoots().find((other) => idOf(other) === id && other.metadata.name !== name)
      if (twin !== undefined) this.#break(`cluster ${id} has two Shoots`)
      if (row !== undefined && annotations[FENCE] === undefined) this.#break(`the Shoot of ${id} has no fence`)
      return
    }
    const { status } = shoot
    const isOver =
      status?.lastOperation?.state === 'Succeeded' && status.observedGeneration === shoot.metadata.generation
    if (subresource === 'status' && isOver && status.lastOperation?.type !== 'Delete')
      this.#succeeded.set(id, (this.#succeeded.get(id) ?? new Set()).add(wishIn(shoot.spec)))
    if (subresource !== '') return
    const [fence, was] = [annotations[FENCE], before?.metadata.annotations?.[FENCE]]
    if (fence !== undefined) this.#world.standing.fenced(`Shoot ${uid}`, Number(fence))
    if (fence === undefined && was !== undefined) this.#break(`the fence of the Shoot of ${id} was removed`)
    const isAgain =
      annotations[GARDENER_OPERATION] === 'reconcile' &&
      before?.metadata.annotations?.[GARDENER_OPERATION] === undefined &&
      annotations[OPERATION_ID] === before?.metadata.annotations?.[OPERATION_ID]
    if (isAgain) this.#break(`operation ${annotations[OPERATION_ID]} of ${id} was asked for twice`)
  }

  #checkRow({ id, before, after }: RowChange<ClusterRow>): void {
    if (after === undefined || before === undefined) return
    const { cluster, sync } = after
    const isNew = before.sync.status !== sync.status || before.sync.syncedGeneration !== sync.syncedGeneration
    if (isNew && sync.status === 'ready' && sync.syncedGeneration === sync.generation) {
      if (this.#succeeded.get(id)?.has(wishOf(cluster)) !== true)
        this.#break(`${id} is called ready before Gardener has succeeded with ${wishOf(cluster)}`)
    }
    if (before.sync.status !== 'deleted' && sync.status === 'deleted') {
      // What a worker without a lease sent before may arrive at any time.
      const left = this.shootOf(id)
      const createdAt = Date.parse(left?.metadata.creationTimestamp ?? '')
      if (this.#world.clock.now() - createdAt > 40_000) this.#break(`${id} is called deleted, and its Shoot exists`)
    }
  }
}

/** Every look may find that time has passed. */
function isMoreThanTimes({ before, after }: RowChange<ClusterRow>): boolean {
  const timeless = (row: ClusterRow | undefined) => row && { ...row, sync: { ...row.sync, lastAttemptAt: 0 } }
  return !sameValue(timeless(before), timeless(after))
}
