import { at, isConflict, type KubeError, type KubeObject } from '../../../kube/index.ts'
import type { Acting } from '../act.ts'
import { beginHandBack } from './apply-hand-back.ts'
import { ownerKey, ownerOf } from '../watch/caches.ts'
import type { ClassRuntime } from '../class-runtime.ts'
import { differs } from './diff.ts'
import { resourceOf } from '../watch/optional-kinds.ts'
import { handoverOf } from './handover-fields.ts'
import { asHandedBefore, wronglyHanded } from './stamp.ts'
import { holdingWorkload } from '../target-locks.ts'
import {
  ENFORCER,
  MANAGER,
  type Action,
  type HandedField,
  type ManagedKind,
  type ObservedChild,
  type RenderedChild,
} from '../types.ts'

type Apply = Extract<Action, { readonly do: 'apply' }>
type Applying = Acting & { readonly signal: AbortSignal }

/** Other domains change these kinds too: an enforcement scales them, a remediation restarts them. */
const CONTENDED: ReadonlySet<ManagedKind> = new Set(['Deployment', 'KnativeService'])
const OURS: ReadonlySet<string> = new Set([MANAGER, ENFORCER])

/**
 * Brings a child to what was rendered. An existing workload is locked meanwhile; a child that does not exist has no lock.
 *
 * False: what was decided upon is not what is there. It is to be seen now, and has to be decided again.
 */
export async function applyChild(acting: Applying, runtime: ClassRuntime, action: Apply): Promise<boolean> {
  const { child } = action
  const seen = seenOf(acting, runtime, child)
  if (seen === undefined) return applyUnseen(acting, runtime, action)
  const work = (held: Applying) => applyGivenBack(held, runtime, action, seen)
  return CONTENDED.has(child.kind) ? holdingWorkload(acting, runtime, child, work) : work(acting)
}

function seenOf({ apis }: Applying, runtime: ClassRuntime, { kind, name }: RenderedChild): KubeObject | undefined {
  const { namespace = '' } = runtime.metadata
  const there = apis.cacheOf(kind)?.get({ namespace, name })
  return there !== undefined && ownerOf(there) === ownerKey(runtime) ? there : undefined
}

async function applyGivenBack(
  acting: Applying,
  runtime: ClassRuntime,
  action: Apply,
  seen: KubeObject,
): Promise<boolean> {
  const { child, back } = action
  if (back === undefined) return applySeen(acting, runtime, action, seen)
  const isWrong = wronglyHanded(child, seen).length > 0
  const end = await beginHandBack(acting, runtime, child, back)
  // A mark tells that something is still to be given back. What was handed over without one is told by what was handed over.
  const first = isWrong ? { ...action, child: asHandedBefore(child, seen) } : action
  if (!(await applySeen(acting, runtime, first, seen))) return false
  await end()
  return isWrong ? applySeen(acting, runtime, action, seen) : true
}

/** The uid keeps it from being made anew without the fields that are handed over: those would have their defaults. */
async function applySeen(
  acting: Applying,
  runtime: ClassRuntime,
  { child, force, from }: Apply,
  seen: KubeObject,
): Promise<boolean> {
  const { uid = '' } = seen.metadata
  const object = { ...child.object, metadata: { ...child.object.metadata, uid } }
  const apply = (forced: boolean) => send(acting, runtime, { ...child, object }, forced)
  try {
    if (from !== undefined) await handOver(acting, from, child.handed)
    await apply(false)
    return true
  } catch (error) {
    if (!isConflict(error)) throw error
    if (error.conflicts.length === 0) {
      if (!(await isReplaced(acting, child, uid))) throw error
      return false
    }
    // What one part of us holds against the other is taken over; what is anybody else's is their own, unless we are told to.
    if (!force && !isAmongUs(error)) throw error
    if (await isOutdated(acting, child, seen)) return false
    await apply(true)
    return true
  }
}

/** Nothing is taken from anybody on the word of an old picture: what we see may have changed hands since. */
async function isOutdated({ client, apis, signal }: Applying, { kind }: RenderedChild, seen: KubeObject) {
  const live = await client.get(resourceOf(kind), at(seen), signal)
  if (live === undefined || isSameState(live, seen)) return false
  apis.cacheOf(kind)?.wrote(live)
  return true
}

/** A change of nothing but the status does not count, where that can be told. */
const isSameState = ({ metadata: a }: KubeObject, { metadata: b }: KubeObject): boolean =>
  a.uid === b.uid &&
  (a.generation === undefined ? a.resourceVersion === b.resourceVersion : a.generation === b.generation)

/** It is gone, or another one has its name; the watch has not told yet. */
async function isReplaced({ client, apis, signal }: Applying, { kind, object }: RenderedChild, uid: string) {
  const there = await client.get(resourceOf(kind), object.metadata, signal)
  if (there?.metadata.uid === uid) return false
  apis.cacheOf(kind)?.deleted(object.metadata, uid)
  return true
}

const isAmongUs = ({ conflicts }: KubeError): boolean => conflicts.every(({ manager }) => OURS.has(manager))

/** Most often there is nothing. Otherwise it is ours and lost its label, or it is somebody's who was there first. */
async function applyUnseen(acting: Applying, runtime: ClassRuntime, { child, force }: Apply): Promise<boolean> {
  try {
    await send(acting, runtime, child, false)
  } catch (error) {
    if (!isConflict(error)) throw error
    if (await isFound(acting, runtime, child)) return false
    if (!force) throw error
    await send(acting, runtime, child, true)
  }
  return true
}

/** A child of ours whose label somebody took off gets it back. */
async function isFound(
  { client, apis, signal }: Applying,
  runtime: ClassRuntime,
  { kind, name, object }: RenderedChild,
): Promise<boolean> {
  const { namespace = '', uid: owner } = runtime.metadata
  const [resource, where] = [resourceOf(kind), { namespace, name }]
  const there = await client.get(resource, where, signal)
  if (there?.metadata.ownerReferences?.some(({ uid }) => uid === owner) !== true) return false
  const { uid, resourceVersion } = there.metadata
  const merge = { metadata: { uid, resourceVersion, labels: object.metadata.labels } }
  apis.cacheOf(kind)?.wrote(await client.patch(resource, where, { merge }, { signal }))
  return true
}

async function send(
  { client, apis, memory, signal }: Applying,
  runtime: ClassRuntime,
  { kind, object }: RenderedChild,
  force: boolean,
): Promise<void> {
  const applied = await client.apply(resourceOf(kind), object, { fieldManager: MANAGER, force, signal })
  apis.cacheOf(kind)?.wrote(applied)
  memory.applied(runtime, kind, applied, differs(object, applied).length > 0)
}

/** A conflict here means that somebody else has set the field since, so that it is no longer ours to give. */
async function handOver(
  { client, signal }: Applying,
  { kind, object }: ObservedChild,
  handed: readonly HandedField[],
): Promise<void> {
  const resource = resourceOf(kind)
  const live = await client.get(resource, at(object), signal)
  if (live === undefined) return
  const fields = handoverOf(live, handed)
  await client.apply(resource, fields, { fieldManager: ENFORCER, signal }).catch((error: unknown) => {
    if (!isConflict(error)) throw error
  })
}
