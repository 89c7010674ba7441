import type { ClassRuntimeStatus } from '../class-runtime.ts'
import type { Verdict } from './phase.ts'
import { refText } from './child-health.ts'
import { failureText } from './outcomes.ts'
import type { Done, Notice } from '../types.ts'

/** What this run has to tell: what it did, and that the phase is another one. */
export function noticesOf(
  before: ClassRuntimeStatus,
  verdict: Verdict,
  done: readonly Done[],
  heldOrphans: number,
): Notice[] {
  return [...aboutActions(before, done), ...aboutOrphans(heldOrphans), ...aboutPhase(before, verdict)]
}

/** That children are made for a new runtime is no news, and one Event fewer for each; that they had to be applied again is. */
function aboutActions(before: ClassRuntimeStatus, done: readonly Done[]): Notice[] {
  const applied = done.flatMap(({ action, failure }) =>
    action.do === 'apply' && failure === undefined ? [refText(action.child)] : [],
  )
  const orphans = done.flatMap(({ action, failure }): Notice[] => {
    if (action.do !== 'delete' || action.because !== 'orphan') return []
    const ref = refText(action.child)
    return failure
      ? [{ type: 'Warning', reason: 'OrphanStays', action: 'Delete', note: failureText(ref, failure) }]
      : [{ type: 'Normal', reason: 'Orphaned', action: 'Delete', note: `deleted ${ref}, which is not wanted any more` }]
  })
  if (applied.length === 0 || before.observed_generation === undefined) return orphans
  return [{ type: 'Normal', reason: 'Applied', action: 'Apply', note: `applied ${applied.join(', ')}` }, ...orphans]
}

function aboutOrphans(held: number): Notice[] {
  if (held === 0) return []
  const note = `${held} objects that are not wanted any more stay for now: too many were deleted within a minute`
  return [{ type: 'Warning', reason: 'OrphansHeld', action: 'Delete', note }]
}

function aboutPhase(before: ClassRuntimeStatus, { phase, reason, message }: Verdict): Notice[] {
  const isNew = before.phase !== phase || (phase === 'degraded' && before.message !== message)
  if (!isNew) return []
  if (phase === 'available') return [{ type: 'Normal', reason: 'Available', action: 'Reconcile', note: message }]
  if (phase === 'degraded') return [{ type: 'Warning', reason, action: 'Reconcile', note: message }]
  return []
}
