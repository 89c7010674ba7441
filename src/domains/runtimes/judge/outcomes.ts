import { reasonOf } from '../failures.ts'
import type { Cause } from './phase.ts'
import { isSameRef, refText } from './child-health.ts'
import { stampOf } from '../apply/stamp.ts'
import type { Action, ChildRef, Done } from '../types.ts'

type Failed = Done & { readonly failure: NonNullable<Done['failure']> }

const hasFailed = (done: Done): done is Failed => done.failure !== undefined

/** Whether this run has tried it already. The same child rendered in another way is another action. */
export const wasTried = (done: readonly Done[], action: Action): boolean =>
  done.some(({ action: tried }) => isSameAction(tried, action))

function isSameAction(a: Action, b: Action): boolean {
  switch (a.do) {
    case 'addFinalizer':
    case 'removeFinalizer':
      return a.do === b.do
    case 'apply':
      return b.do === 'apply' && isSameRef(a.child, b.child) && stampOf(a.child.object) === stampOf(b.child.object)
    case 'delete':
      return b.do === 'delete' && a.child.uid === b.child.uid
    case 'handBack':
      return b.do === 'handBack' && isSameRef(a.child, b.child)
    case 'enforce':
      return b.do === 'enforce' && a.functionKey === b.functionKey && a.dimension === b.dimension
    default:
      return a satisfies never
  }
}

/** Why a child could not be brought to what was rendered, if it could not. */
export function applyFailure(done: readonly Done[], ref: ChildRef): Failed['failure'] | undefined {
  return done.filter(hasFailed).find(({ action }) => action.do === 'apply' && isSameRef(action.child, ref))?.failure
}

/** An apply that fails the same way next time, unless somebody gives way. */
export function refusedApply(done: readonly Done[]): Cause | undefined {
  const causes = failedApplies(done).filter(({ isRefused }) => isRefused)
  return causes.find(({ reason }) => reason === 'Conflict') ?? causes[0]
}

/** An apply that may succeed next time. */
export const failedApply = (done: readonly Done[]): Cause | undefined =>
  failedApplies(done).find(({ isRefused }) => !isRefused)

function failedApplies(done: readonly Done[]): Array<Cause & { readonly isRefused: boolean }> {
  return done.filter(hasFailed).flatMap(({ action, failure }) => {
    if (action.do !== 'apply') return []
    const { reason, isRefused } = classify(failure)
    return [{ reason, isRefused, message: failureText(refText(action.child), failure) }]
  })
}

/** The reason of the condition that speaks of a failed apply. */
export function classify(failure: Failed['failure']): { readonly reason: string; readonly isRefused: boolean } {
  if (failure.conflicts !== undefined && failure.conflicts.length > 0) return { reason: 'Conflict', isRefused: true }
  if (!failure.retryable) return { reason: 'ApplyInvalid', isRefused: true }
  return { reason: reasonOf(failure.code), isRefused: false }
}

export function failureText(what: string, { message, conflicts = [] }: Failed['failure']): string {
  const [first, ...others] = conflicts
  if (first === undefined) return message.includes(what) ? message : `${what}: ${message}`
  const more = others.length === 0 ? '' : ` and ${others.length} more field${others.length === 1 ? '' : 's'}`
  return `field manager conflict applying ${what}: ${first.manager} owns ${first.field}${more}`
}
