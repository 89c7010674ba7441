import { findCondition, type Condition } from '../../../kernel/index.ts'
import type { ClassRuntimeStatus } from '../class-runtime.ts'
import { detailOf, refText, type ChildHealth } from './child-health.ts'
import type { NewCondition } from '../status.ts'
import type { Phase } from '../types.ts'

/** Where a runtime is, and why: becomes phase, message and the three conditions. */
export interface Verdict {
  readonly phase: Phase
  /** PascalCase; of a degraded runtime the code of its failure without `Runtime`. */
  readonly reason: string
  readonly message: string
}

export interface Cause {
  readonly reason: string
  readonly message: string
}

/** Everything that the phase depends on, worst first. */
export interface Facts {
  /** Cannot succeed until somebody changes something: a mistake in the spec, a conflict, an apply that was refused. */
  readonly refused?: Cause | undefined
  /** In the words of `findCrash`. */
  readonly crash?: string | undefined
  /** An action failed in a way that the next try may not. */
  readonly failed?: Cause | undefined
  /** Something is still to be applied. */
  readonly isApplying: boolean
  readonly health: readonly ChildHealth[]
  /** The enforcer cannot put a recommendation into effect. */
  readonly enforcement?: Cause | undefined
}

export interface Times {
  readonly generation: number
  readonly progressTimeoutMs: number
  readonly now: number
}

/** Degraded because time is up. Only being ready, or a new generation, ends that: trying alone is no recovery. */
const LATE = ['Timeout', 'ChildMissing']

export const conditionOf = (status: ClassRuntimeStatus, type: string): Condition | undefined =>
  findCondition(status.conditions ?? [], type)

/** Why it is degraded, if it is. */
export const degradedBy = (status: ClassRuntimeStatus): Condition | undefined => {
  const degraded = conditionOf(status, 'Degraded')
  return degraded?.status === 'True' ? degraded : undefined
}

/** The phase that follows from the facts. What was before matters only for how long it has been progressing. */
export function judge(before: ClassRuntimeStatus, facts: Facts, times: Times): Verdict {
  const { refused, crash, failed, isApplying, health, enforcement } = facts
  const missing = health.filter(({ isMissing }) => isMissing)
  const unready = health.filter(({ ready }) => !ready)
  if (refused) return { phase: 'degraded', ...refused }
  if (crash !== undefined) return { phase: 'degraded', reason: 'CrashLoop', message: crash }
  if ((failed || unready.length > 0) && isLate(before, times)) return late(missing, unready, failed, times)
  if (failed) return { phase: 'applying', ...failed }
  if (isApplying) return { phase: 'applying', reason: 'Applying', message: 'what is missing or differs is applied' }
  if (unready.length > 0) return waiting(missing, unready)
  if (enforcement) return { phase: 'degraded', ...enforcement }
  return { phase: 'available', reason: 'AllReady', message: 'everything is ready' }
}

/** Since when it has been trying to reach this generation; now, when it only begins. */
export function progressingSince(
  before: ClassRuntimeStatus,
  { generation, now }: Pick<Times, 'generation' | 'now'>,
): number {
  const progressing = conditionOf(before, 'Progressing')
  const counts = progressing?.status === 'True' && progressing.observedGeneration === generation
  return counts ? Date.parse(progressing.lastTransitionTime) : now
}

function isLate(before: ClassRuntimeStatus, times: Times): boolean {
  const degraded = degradedBy(before)
  if (degraded?.observedGeneration === times.generation && LATE.includes(degraded.reason)) return true
  return times.now - progressingSince(before, times) >= times.progressTimeoutMs
}

function late(
  missing: readonly ChildHealth[],
  unready: readonly ChildHealth[],
  failed: Cause | undefined,
  { progressTimeoutMs }: Times,
): Verdict {
  const within = `within ${Math.round(progressTimeoutMs / 1000)} s`
  const [first] = missing
  const failure = failed && `: ${failed.message}`
  if (first) {
    const message = `expected ${refText(first.child)} not found ${within}${failure ?? ''}`
    return { phase: 'degraded', reason: 'ChildMissing', message }
  }
  const detail = failure ?? `: ${unready.map(detailOf).join('; ')}`
  return { phase: 'degraded', reason: 'Timeout', message: `readiness not achieved ${within}${detail}` }
}

/** Says nothing that changes while things go as they should: every other word is a write. */
function waiting(missing: readonly ChildHealth[], unready: readonly ChildHealth[]): Verdict {
  const trouble = unready.find((one) => one.trouble !== undefined)?.trouble
  const names = (missing.length > 0 ? missing : unready).map(({ child }) => refText(child))
  const message = `waiting for ${names.slice(0, 3).join(', ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''}`
  return {
    phase: 'progressing',
    reason: missing.length > 0 ? 'ChildMissing' : 'WaitingForReadiness',
    message: trouble === undefined ? message : `${message}: ${trouble}`,
  }
}

/** Progressing, Available and Degraded: all three are always there, and at most one of them is true. */
export function conditionsOf({ phase, reason, message }: Verdict, generation: number): NewCondition[] {
  const isProgressing = phase === 'applying' || phase === 'progressing'
  const as = (type: string, isTrue: boolean): NewCondition => ({
    type,
    status: isTrue ? 'True' : 'False',
    reason: type === 'Degraded' && !isTrue ? 'NotDegraded' : reason,
    message: isTrue || (type === 'Available' && !isProgressing) ? message : '',
    observedGeneration: generation,
  })
  return [
    as('Progressing', isProgressing),
    as('Available', phase === 'available'),
    as('Degraded', phase === 'degraded'),
  ]
}
