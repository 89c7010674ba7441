import { failureOf, messageOf } from '../../../kernel/index.ts'
import { isConflict, isInvalid, isNotFound, KubeError, type Draft } from '../../../kube/index.ts'
import type { ManagedCaches } from '../watch/caches.ts'
import type { ClassRuntime } from '../class-runtime.ts'
import { raise } from '../failures.ts'
import { resourceOf } from '../watch/optional-kinds.ts'
import { functionName } from '../names.ts'
import { holdingWorkload, type LockedRun } from '../target-locks.ts'
import { ENFORCER, MANAGER, type ChildRef, type Enforce } from '../types.ts'
import { enforcementDraft } from './enforcement-draft.ts'

export interface Enforcing extends LockedRun {
  readonly apis: Pick<ManagedCaches, 'cacheOf'>
}

const OURS: ReadonlySet<string> = new Set([MANAGER, ENFORCER])

/**
 * Puts one decided value into effect.
 *
 * Before: the child was seen by the decision; the workload is locked against the other domains, whichever object is changed.
 * On success: the enforcer owns the field, and the caches know it.
 * On failure: nothing has changed; `RuntimeEnforceConflict` names the manager and the field, `RuntimeEnforceInvalid` what was
 * refused. An autoscaler that has gone meanwhile leaves the number to the Deployment, and if that fails too it is
 * `RuntimeEnforceFallbackFailed`.
 */
export async function applyEnforcement(enforcing: Enforcing, runtime: ClassRuntime, action: Enforce): Promise<void> {
  const workload: ChildRef =
    action.path === 'hpa'
      ? { kind: 'Deployment', name: functionName(runtime.metadata.name, action.functionKey) }
      : action.child
  await holdingWorkload(enforcing, runtime, workload, (held) => enforceNow(held, runtime, action, workload))
}

async function enforceNow(
  enforcing: Enforcing,
  runtime: ClassRuntime,
  action: Enforce,
  workload: ChildRef,
): Promise<void> {
  const isThere = await change(enforcing, runtime, action)
  if (isThere) return
  if (action.path !== 'hpa') throw raise.RuntimeEnforceFailed(`${nameOf(action.child)} is not there any more`)
  const fallback: Enforce = { ...action, path: 'deployment', child: workload }
  try {
    if (await change(enforcing, runtime, fallback)) return
  } catch (cause) {
    if (enforcing.signal.aborted) throw cause
    throw raise.RuntimeEnforceFallbackFailed(`${nameOf(action.child)} is gone, and ${nameOf(workload)} refused`, {
      cause,
    })
  }
  throw raise.RuntimeEnforceFallbackFailed(`${nameOf(action.child)} is gone, and so is ${nameOf(workload)}`)
}

/** False: the object is not there, and was not made. */
async function change({ client, apis, signal }: Enforcing, runtime: ClassRuntime, action: Enforce): Promise<boolean> {
  const { kind, name } = action.child
  const { namespace = '' } = runtime.metadata
  const resource = resourceOf(kind)
  const apply = (draft: Draft, force: boolean) =>
    client.apply(resource, draft, { fieldManager: ENFORCER, force, signal })
  try {
    const live = await client.get(resource, { namespace, name }, signal)
    if (live === undefined || live.metadata.deletionTimestamp !== undefined) return false
    const fn = runtime.spec.functions?.find(({ function_key }) => function_key === action.functionKey)
    const draft = enforcementDraft(live, action, fn)
    const applied = await apply(draft, false).catch((error: unknown) => {
      if (isAmongUs(error)) return apply(draft, true)
      throw error
    })
    apis.cacheOf(kind)?.wrote(applied)
    return true
  } catch (error) {
    if (isVanished(error)) return false
    throw signal.aborted ? error : asEnforceFailure(error, action)
  }
}

/** One part of us takes a field over from the other. */
const isAmongUs = (error: unknown): boolean =>
  isConflict(error) && error.conflicts.length > 0 && error.conflicts.every(({ manager }) => OURS.has(manager))

/** To apply with the uid of an object that is gone is a conflict without a field. */
const isVanished = (error: unknown): boolean => isNotFound(error) || (isConflict(error) && error.conflicts.length === 0)

function asEnforceFailure(cause: unknown, { dimension, to, child }: Enforce): Error {
  const what = `failed to set ${dimension} of ${nameOf(child)} to ${to}`
  if (isConflict(cause)) {
    const owners = cause.conflicts.map(({ manager, field }) => `${field} belongs to "${manager}"`)
    return raise.RuntimeEnforceConflict(`${what}: ${owners.join(', ')}`)
  }
  if (isInvalid(cause) || isDenied(cause)) return raise.RuntimeEnforceInvalid(`${what}: ${messageOf(cause)}`)
  if (failureOf(cause).code.startsWith('RuntimeEnforce') && cause instanceof Error) return cause
  return raise.RuntimeEnforceFailed(what, { cause })
}

const isDenied = (error: unknown): boolean =>
  error instanceof KubeError && ['KubeAdmissionDenied', 'KubeQuotaExceeded'].includes(error.failure.code)

const nameOf = ({ kind, name }: ChildRef): string => `${kind} ${name}`
