import {
  applyFenced,
  at as placeOf,
  isConflict,
  patchFenced,
  type At,
  type Client,
  type KubeError,
  type ObjectFence,
  type Reader,
} from '../../../kube/index.ts'
import { raise } from '../failures.ts'
import { extraWorkers } from '../shoot/drift.ts'
import { withCompleted } from '../shoot/wanted.ts'
import { isOwnByName } from './own.ts'
import { Shoots } from './resources.ts'
import { CLUSTER_ID, type Shoot, type ShootDraft } from './shoot.ts'

/** Of all fields that Caelus writes. */
export const FIELD_MANAGER = 'caelus-clusters'

export interface ShootApply {
  /** Checks the lease before each write. */
  readonly by: Client
  readonly draft: ShootDraft
  readonly fence: ObjectFence
  readonly signal: AbortSignal
}

/** Writes the Shoot that a row asks for, and nothing where it is there already. */
export async function applyShoot(apply: ShootApply): Promise<Shoot> {
  const applied = await applyOwned(apply)
  if (extraWorkers(apply.draft, applied).length === 0) return applied
  return (await dropExtraWorkers(apply)) ?? applied
}

/**
 * All fields of the draft are ours. A field that somebody changed by an update is taken back: it was reported as drift
 * before. A field that another applier owns is left to it, because both would change it in turns.
 */
async function applyOwned({ by, draft, fence, signal }: ShootApply): Promise<Shoot> {
  const prepare = (_: unknown, live: Shoot | undefined): ShootDraft => withCompleted(draft, ownOf(draft, live))
  try {
    return await applyFenced(by, Shoots, draft, fence, { signal, prepare })
  } catch (error) {
    if (!isConflict(error) || error.conflicts.length === 0) throw error
    if (await isWithAppliers(by, error, draft.metadata, signal)) throw error
    return await applyFenced(by, Shoots, draft, fence, { signal, prepare, force: true })
  }
}

async function isWithAppliers(reader: Reader, { conflicts }: KubeError, at: At, signal: AbortSignal): Promise<boolean> {
  const live = await reader.get(Shoots, at, signal)
  const appliers = (live?.metadata.managedFields ?? [])
    .filter(({ operation, manager }) => operation === 'Apply' && manager !== FIELD_MANAGER)
    .map(({ manager }) => manager)
  return conflicts.some(({ manager }) => appliers.includes(manager))
}

/** Server-side apply removes only what we have applied before. */
async function dropExtraWorkers({ by, draft, fence, signal }: ShootApply): Promise<Shoot | undefined> {
  const patch = (live: Shoot) => {
    const extra = new Set(extraWorkers(draft, live).map(({ name }) => name))
    if (extra.size === 0) return undefined
    const workers = live.spec.provider.workers?.filter(({ name }) => !extra.has(name))
    return { spec: { provider: { workers } } }
  }
  return patchFenced(by, Shoots, draft.metadata, patch, fence, { signal })
}

/** The live Shoot, if it is the one of this cluster and not on its way out. */
export function ownOf(draft: ShootDraft, live: Shoot | undefined): Shoot | undefined {
  if (live === undefined) return undefined
  const { namespace = '', name } = placeOf(live)
  const [ours, theirs] = [draft.metadata.labels?.[CLUSTER_ID], live.metadata.labels?.[CLUSTER_ID]]
  if (theirs !== ours && !isOwnByName(ours ?? '', live))
    throw raise.ShootTaken(
      `Shoot ${namespace}/${name} exists and belongs to ${theirs === undefined ? 'no cluster of Caelus' : `cluster ${theirs}`}`,
    )
  if (live.metadata.deletionTimestamp !== undefined)
    throw raise.ShootTerminating(`Shoot ${namespace}/${name} is being deleted since ${live.metadata.deletionTimestamp}`)
  return live
}
