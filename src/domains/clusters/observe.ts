import { FailureError, type Failure } from '../../kernel/index.ts'
import type { Gardener } from './gardener/gardener.ts'
import { CLUSTER_ID, type Shoot, type ShootDraft } from './gardener/shoot.ts'
import { liveOf } from './live.ts'
import type { NamespaceSeen, Observed } from './observed.ts'
import type { LoadedCluster } from './rows.ts'
import { driftOf } from './shoot/drift.ts'
import { wantedShoot, type GardenerSettings } from './shoot/wanted.ts'
import type { Cluster } from './types.ts'

export interface ObserveDeps {
  readonly gardener: Pick<Gardener, 'shoots' | 'find' | 'list'>
  readonly settings: GardenerSettings
}

/** What a run has found out itself, which is newer than what the watch tells. */
export interface Memory {
  namespace?: NamespaceSeen
  /** Null: the server said that there is none. */
  shoot?: Shoot | null
  isApplied: boolean
}

export interface Observation {
  readonly seen: Observed
  readonly shoot: Shoot | undefined
  /** Absent while its namespace is not known, or where nothing can be asked for. */
  readonly draft: ShootDraft | undefined
}

/** Asks Gardener only where the watch does not tell. */
export async function observe(
  deps: ObserveDeps,
  loaded: LoadedCluster,
  memory: Memory,
  signal: AbortSignal,
): Promise<Observation> {
  const shoot =
    memory.shoot === undefined ? await findShoot(deps, loaded, memory.namespace, signal) : (memory.shoot ?? undefined)
  return observation(deps, loaded, shoot, memory)
}

/** What the watch alone tells, for the pass over all clusters. Nothing is asked. */
export const glimpse = (deps: ObserveDeps, loaded: LoadedCluster): Observation =>
  observation(deps, loaded, deps.gardener.shoots.ofCluster(loaded.cluster.id), { isApplied: false })

function observation(
  { settings }: ObserveDeps,
  { cluster, sync }: LoadedCluster,
  shoot: Shoot | undefined,
  memory: Memory,
): Observation {
  const namespace = shoot?.metadata.namespace
  const place: NamespaceSeen =
    namespace !== undefined ? { is: 'known', name: namespace } : (memory.namespace ?? placeIn(settings))
  const wanted = place.is === 'known' ? draftOf(cluster, settings, place.name, shoot?.metadata.name) : undefined
  const draft = wanted !== undefined && 'draft' in wanted ? wanted.draft : undefined
  const isCompared =
    shoot !== undefined && draft !== undefined && cluster.deletedAt === null && sync.status !== 'deleted'
  const drift = isCompared ? driftOf(draft, shoot).map(({ path }) => path) : []
  return {
    shoot,
    draft,
    seen: {
      shoot: shoot === undefined ? { is: 'absent' } : { is: 'present', live: liveOf(shoot), drift },
      namespace: place,
      isApplied: memory.isApplied,
      ...(wanted !== undefined && 'problem' in wanted && { problem: wanted.problem }),
    },
  }
}

const placeIn = ({ namespace }: GardenerSettings): NamespaceSeen =>
  namespace === undefined ? { is: 'unknown' } : { is: 'known', name: namespace }

function draftOf(
  cluster: Cluster,
  settings: GardenerSettings,
  namespace: string,
  name: string | undefined,
): { readonly draft: ShootDraft } | { readonly problem: Failure } {
  try {
    return { draft: wantedShoot(cluster, settings, namespace, name) }
  } catch (error) {
    if (error instanceof FailureError) return { problem: error.failure }
    throw error
  }
}

async function findShoot(
  deps: ObserveDeps,
  loaded: LoadedCluster,
  namespace: NamespaceSeen | undefined,
  signal: AbortSignal,
): Promise<Shoot | undefined> {
  const { gardener, settings } = deps
  const { cluster, sync } = loaded
  if (gardener.shoots.isCurrent) return gardener.shoots.ofCluster(cluster.id)
  if (cluster.deletedAt !== null) return askFor(deps, loaded, signal)
  const place = namespace ?? placeIn(settings)
  const draft = place.is === 'known' ? draftOf(cluster, settings, place.name, undefined) : undefined
  const at = sync.shoot ?? (draft !== undefined && 'draft' in draft ? draft.draft.metadata : undefined)
  if (at === undefined) return undefined
  return ifOf(cluster, await gardener.find({ namespace: at.namespace, name: at.name }, signal))
}

/** Asks the server whether anything of a cluster is there: under its name, or wherever it is when that is not certain. */
export async function askFor(
  { gardener }: ObserveDeps,
  { cluster, sync }: LoadedCluster,
  signal: AbortSignal,
): Promise<Shoot | undefined> {
  if (sync.shoot !== null && gardener.shoots.isCurrent) {
    const { namespace, name } = sync.shoot
    const found = gardener.shoots.ofCluster(cluster.id) ?? (await gardener.find({ namespace, name }, signal))
    // Somebody may have removed its label.
    return found?.metadata.uid === sync.shoot.uid ? found : ifOf(cluster, found)
  }
  return (await gardener.list(signal)).find((shoot) => isOf(cluster, shoot))
}

const isOf = ({ id }: Cluster, { metadata }: Shoot): boolean => metadata.labels?.[CLUSTER_ID] === id

const ifOf = (cluster: Cluster, shoot: Shoot | undefined): Shoot | undefined =>
  shoot !== undefined && isOf(cluster, shoot) ? shoot : undefined
