import { FailureError, type Failure } from '../../kernel/index.ts'
import type { Gardener } from './gardener/gardener.ts'
import { ownShoot } from './gardener/own.ts'
import type { Shoot, ShootDraft } from './gardener/shoot.ts'
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

const watched = ({ gardener }: ObserveDeps, { cluster, sync }: LoadedCluster): Shoot | undefined =>
  gardener.shoots.ofCluster(cluster.id, sync.shoot?.uid)

/** What the watch alone tells, for the pass over all clusters. Nothing is asked. */
export const glimpse = (deps: ObserveDeps, loaded: LoadedCluster): Observation =>
  observation(deps, loaded, watched(deps, loaded), { isApplied: false })

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
  if (gardener.shoots.isCurrent) return watched(deps, loaded) ?? (await elsewhere(deps, loaded, signal))
  if (cluster.deletedAt !== null) return askFor(deps, loaded, signal)
  const place = namespace ?? placeIn(settings)
  const draft = place.is === 'known' ? draftOf(cluster, settings, place.name, undefined) : undefined
  const at = sync.shoot ?? (draft !== undefined && 'draft' in draft ? draft.draft.metadata : undefined)
  if (at === undefined) return undefined
  return ifOf(loaded, await gardener.find({ namespace: at.namespace, name: at.name }, signal))
}

/** The watch is on one namespace where the settings name one. What was made before they did is in another, and no twin is made. */
async function elsewhere(
  { gardener, settings }: ObserveDeps,
  loaded: LoadedCluster,
  signal: AbortSignal,
): Promise<Shoot | undefined> {
  const { sync } = loaded
  if (sync.shoot === null || settings.namespace === undefined || sync.shoot.namespace === settings.namespace)
    return undefined
  const { namespace, name } = sync.shoot
  return ifOf(loaded, await gardener.find({ namespace, name }, signal))
}

/** Asks the server whether anything of a cluster is there: under its name, or wherever it is when that is not certain. */
export async function askFor(
  deps: ObserveDeps,
  loaded: LoadedCluster,
  signal: AbortSignal,
): Promise<Shoot | undefined> {
  const { gardener } = deps
  const { cluster, sync } = loaded
  const seen =
    sync.shoot !== null && gardener.shoots.isCurrent
      ? watched(deps, loaded)
      : ownShoot(cluster.id, await gardener.list(signal), sync.shoot?.uid)
  if (seen !== undefined || sync.shoot === null) return seen
  // Somebody may have removed its label.
  const { namespace, name } = sync.shoot
  return ifOf(loaded, await gardener.find({ namespace, name }, signal))
}

/** The Shoot that was found under a name, unless it belongs to another cluster or to nobody. */
export const ifOf = ({ cluster, sync }: LoadedCluster, shoot: Shoot | undefined): Shoot | undefined =>
  shoot && ownShoot(cluster.id, [shoot], sync.shoot?.uid)
