import { at, isConflict, type Draft, type KubeObject } from '../../kube/index.ts'
import type { Acting } from './act.ts'
import type { ClassRuntime } from './class-runtime.ts'
import { differs } from './differs.ts'
import { resourceOf } from './foreign.ts'
import { handoverOf } from './handover-fields.ts'
import { holding } from './target-lock.ts'
import {
  ENFORCER,
  MANAGER,
  type Action,
  type HandedField,
  type ManagedKind,
  type ObservedChild,
  type RenderedChild,
} from './types.ts'

type Apply = Extract<Action, { readonly do: 'apply' }>
type Applying = Acting & { readonly signal: AbortSignal }

/** What others change as well: an enforcement scales it, a remediation restarts it. */
const CONTENDED: ReadonlySet<ManagedKind> = new Set(['Deployment', 'KnativeService'])
const OURS: ReadonlySet<string> = new Set([MANAGER, ENFORCER])

/**
 * Brings a child to what was rendered. What is there already is locked meanwhile; what is not there is nobody's target yet.
 *
 * False: it was there all the time, but not to be seen, and nothing was decided with it in view. It is to be seen now.
 */
export async function applyChild(acting: Applying, runtime: ClassRuntime, action: Apply): Promise<boolean> {
  const { apis, locking } = acting
  const { kind, name } = action.child
  const { namespace = '' } = runtime.metadata
  const isSeen = apis.cacheOf(kind)?.get({ namespace, name }) !== undefined
  try {
    if (locking === undefined || !isSeen || !CONTENDED.has(kind)) await applyNow(acting, runtime, action)
    else await holding(locking, runtime, { kind, name }, () => applyNow(acting, runtime, action))
    return true
  } catch (error) {
    if (isSeen || !isConflict(error) || !(await isFound(acting, runtime, action.child))) throw error
    return false
  }
}

/** A child of ours whose label somebody took off gets it back. */
async function isFound(
  { client, apis, signal }: Applying,
  runtime: ClassRuntime,
  child: RenderedChild,
): Promise<boolean> {
  const { namespace = '' } = runtime.metadata
  const [resource, where] = [resourceOf(child.kind), { namespace, name: child.name }]
  const there = await client.get(resource, where, signal)
  const isOurs = there?.metadata.ownerReferences?.some(({ uid }) => uid === runtime.metadata.uid) ?? false
  if (!isOurs) return false
  const { uid, resourceVersion } = there?.metadata ?? {}
  const merge = { metadata: { uid, resourceVersion, labels: child.object.metadata.labels } }
  apis.cacheOf(child.kind)?.wrote(await client.patch(resource, where, { merge }, { signal }))
  return true
}

async function applyNow(acting: Applying, runtime: ClassRuntime, { child, force, from }: Apply): Promise<void> {
  const { apis, memory } = acting
  if (from !== undefined) await handOver(acting, from, child.handed)
  const applied = await applyFields(acting, child.kind, child.object, force)
  apis.cacheOf(child.kind)?.wrote(applied)
  memory.applied(runtime, child.kind, applied, differs(child.object, applied).length > 0)
}

/** Fields that one part of us holds against the other are taken over; those of anybody else are their own. */
async function applyFields(
  { client, signal }: Applying,
  kind: ManagedKind,
  object: Draft,
  force: boolean,
): Promise<KubeObject> {
  const apply = (forced: boolean) =>
    client.apply(resourceOf(kind), object, { fieldManager: MANAGER, force: forced, signal })
  return apply(force).catch((error: unknown) => {
    const isAmongUs =
      isConflict(error) && error.conflicts.length > 0 && error.conflicts.every(({ manager }) => OURS.has(manager))
    if (!isAmongUs) throw error
    return apply(true)
  })
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
