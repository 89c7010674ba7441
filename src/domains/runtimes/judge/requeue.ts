import type { ClassRuntimeStatus } from '../class-runtime.ts'
import { conditionOf, progressingSince, type Verdict } from './phase.ts'
import type { Decision } from '../types.ts'

export interface Requeue {
  readonly generation: number
  readonly progressTimeoutMs: number
  readonly now: number
}

type CheckAgain = Decision['checkAgain']

const SECOND = 1_000
const RECHECK = { leastMs: 5 * SECOND, mostMs: 60 * SECOND }
const RETRY = { leastMs: SECOND, mostMs: 30 * SECOND }

/** When to look again though nothing has happened. The younger a trouble, the sooner. */
export function requeueOf(verdict: Verdict, status: ClassRuntimeStatus, pace: Requeue): CheckAgain {
  const { now, progressTimeoutMs } = pace
  const since = progressingSince(status, pace)
  switch (verdict.phase) {
    case 'pending':
      return { afterMs: RECHECK.leastMs, because: verdict.message }
    case 'applying':
      return { afterMs: byAge(now - since, RETRY), because: verdict.message }
    case 'progressing':
      // Times are kept in whole seconds, so that one more makes sure that the time is up.
      return {
        afterMs: Math.max(SECOND, since + progressTimeoutMs - now + SECOND),
        because: 'it must be ready by then',
      }
    case 'degraded': {
      const degraded = conditionOf(status, 'Degraded')
      const age = degraded === undefined ? 0 : now - Date.parse(degraded.lastTransitionTime)
      return { afterMs: byAge(age, RECHECK), because: verdict.message }
    }
    case 'available':
    case 'deleting':
      return undefined
    default:
      return verdict.phase satisfies never
  }
}

/** The sooner of two. */
export const sooner = (a: CheckAgain, b: CheckAgain): CheckAgain =>
  a === undefined || (b !== undefined && b.afterMs < a.afterMs) ? b : a

const byAge = (age: number, { leastMs, mostMs }: { readonly leastMs: number; readonly mostMs: number }): number =>
  Math.min(mostMs, Math.max(leastMs, Math.round(age / 4)))
