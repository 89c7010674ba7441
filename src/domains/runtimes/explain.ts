import type { Explanation } from '../../kernel/index.ts'
import { pathText } from '../../kube/index.ts'
import type { ClassRuntimeStatus } from './class-runtime.ts'
import { findCrash } from './judge/crash-loop.ts'
import { crashRules, decide } from './decide.ts'
import { differs } from './apply/diff.ts'
import { failureFor } from './failures.ts'
import { isGivenUp } from './given-up.ts'
import { conditionOf, degradedBy } from './judge/phase.ts'
import { plan, type Plan } from './plan.ts'
import { detailOf, healthOf, isSameRef, refText } from './judge/child-health.ts'
import type { RuntimesSettings } from './settings.ts'
import { isStamp } from './apply/stamp.ts'
import type { Action, Decision, Observed, ObservedChild } from './types.ts'

/** Says in sentences what `decide` would do with what is seen, and why the status is what it is. */
export function explain(seen: Observed, settings: RuntimesSettings, now: number): Explanation {
  const { runtime } = seen
  const { status = {} } = runtime
  if (isGivenUp(status, runtime.metadata.generation)) return explainGivenUp(seen)
  const decision = decide({ ...seen, done: [] }, settings, now)
  const isGoing = runtime.metadata.deletionTimestamp !== undefined
  const degraded = degradedBy(status)
  const failure = isGoing || degraded === undefined ? undefined : failureFor(degraded.reason, degraded.message)
  const isSettled = decision.actions.length === 0 && status.phase === 'available'
  const after = decision.checkAgain?.afterMs
  return {
    why: [...phaseText(status, runtime.metadata.generation), ...(isGoing ? [] : worldText(seen, settings, now))],
    next: nextText(decision, isSettled),
    at: after === undefined ? null : now + after,
    whoseMove: failure?.whoseMove ?? (isSettled ? 'nobody' : 'platform'),
    nextStep: failure?.nextStep ?? null,
    blockers: isGoing ? seen.children.map(blockerText) : [],
  }
}

/** From the status alone: deciding may be what hangs. */
function explainGivenUp({ runtime: { status = {}, metadata } }: Observed): Explanation {
  const failure = failureFor(degradedBy(status)?.reason ?? '', status.message ?? '')
  return {
    why: phaseText(status, metadata.generation),
    next: 'nothing, until the runtime is changed, the controllers restart or the drift scan retries it',
    at: null,
    whoseMove: failure?.whoseMove ?? 'operator',
    nextStep: failure?.nextStep ?? null,
    blockers: [],
  }
}

function phaseText({ phase, message = '', ...status }: ClassRuntimeStatus, generation: number | undefined): string[] {
  if (phase === undefined) return ['nobody has looked at it yet']
  const degraded = degradedBy(status)
  const code = degraded && failureFor(degraded.reason, message)?.code
  const speaker = conditionOf(status, phase === 'available' ? 'Available' : degraded ? 'Degraded' : 'Progressing')
  const since = speaker === undefined ? '' : ` since ${speaker.lastTransitionTime}`
  const isOld = status.observed_generation !== undefined && status.observed_generation !== generation
  return [
    `it is ${phase}${since}${message === '' ? '' : `: ${message}`}${code === undefined ? '' : ` (${code})`}`,
    ...(isOld ? [`that is about generation ${status.observed_generation}; by now it has ${generation}`] : []),
  ]
}

/** The chain below the phase: children, their pods, the fields that differ, and who else sets something. */
function worldText(seen: Observed, settings: RuntimesSettings, now: number): string[] {
  const planned = plan(seen, settings)
  const { status = {} } = seen.runtime
  const said = status.message ?? ''
  if ('cause' in planned) return [planned.cause.message].filter((text) => text !== said)
  const health = healthOf(planned.template, planned.rendered, seen)
  const crash = findCrash(seen.pods, crashRules(status, settings, now))
  const enforced = conditionOf(status, 'NfrEnforced')
  return [
    ...planned.rendered.problems.map(({ field, message }) => `${field}: ${message}`),
    ...health.filter(({ ready }) => !ready).map(detailOf),
    ...(crash ? [crash.text] : []),
    ...planned.actions.flatMap((action) => differenceText(action, seen.children)),
    ...handedText(planned),
    ...(enforced === undefined ? [] : [`recommendations: ${enforced.message} (${enforced.reason})`]),
  ].filter((text, index, all) => text !== said && all.indexOf(text) === index)
}

function differenceText(action: Action, children: readonly ObservedChild[]): string[] {
  if (action.do === 'delete') return [`${refText(action.child)} is not wanted any more`]
  if (action.do === 'handBack') return [`${refText(action.child)} bears a value that is not enforced any more`]
  if (action.do !== 'apply') return []
  const live = children.find((child) => isSameRef(child, action.child))
  if (live === undefined) return []
  const fields = differs(action.child.object, live.object).filter(({ path }) => !isStamp(path))
  if (action.back !== undefined)
    return [`${action.back.join(' and ')} of ${refText(live)} is not left to the enforcer any more`]
  const [first, ...others] = fields.map(({ path }) => pathText(path))
  if (first === undefined) return [`${refText(live)} has a field of ours that is not wanted any more`]
  return [`${refText(live)} differs in ${first}${others.length > 0 ? ` and ${others.length} more` : ''}`]
}

const handedText = ({ rendered }: Plan): string[] =>
  rendered.children.flatMap((child) =>
    child.handed.map((field) => `${field} of ${refText(child)} is left to an autoscaler or to the enforcer`),
  )

function nextText({ phase, actions, checkAgain }: Decision, isSettled: boolean): string {
  if (actions.length > 0) return actions.map(actionText).join(', ')
  if (phase === 'deleting') return 'its finalizer is removed when the last child is gone'
  if (checkAgain !== undefined && !isSettled) return `it is looked at again: ${checkAgain.because}`
  if (checkAgain !== undefined) return checkAgain.because
  return 'nothing, until something changes'
}

function actionText(action: Action): string {
  switch (action.do) {
    case 'addFinalizer':
      return 'its finalizer is added'
    case 'removeFinalizer':
      return 'its finalizer is removed'
    case 'apply':
      return `${refText(action.child)} is applied`
    case 'delete':
      return `${refText(action.child)} is deleted`
    case 'handBack':
      return `${action.dimensions.join(' and ')} of ${refText(action.child)} is given back`
    case 'enforce':
      return `${action.dimension} of ${refText(action.child)} is set to ${action.to}`
    default:
      return action satisfies never
  }
}

function blockerText(child: ObservedChild): string {
  const { finalizers = [] } = child.object.metadata
  if (!child.deleting) return `${refText(child)} is still there`
  return `${refText(child)} is being deleted${finalizers.length === 0 ? '' : ` and waits for ${finalizers.join(', ')}`}`
}
