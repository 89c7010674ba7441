import { defineFailures } from './errors.ts'
import type { Service } from './service.ts'

/**
 * Runs services in at most one process at a time.
 *
 * - A process leads only while it has proved within the renew deadline that the lease is its own. The time counts from before
 *   the question was sent, so a paused or partitioned process stops leading before another process may begin.
 * - A process that loses the lead stops its services at once. If they do not stop in time, `done` rejects and the
 *   process must end.
 * - A process that stops in good order lets the next one begin at once.
 *
 * `start` resolves when the election runs, whether or not this process leads.
 */
export interface LeaderElection extends Service {
  /** Computed from the clock at every read: correct even before a timer could fire. */
  readonly leading: boolean
  /** The identity of the leader as of the last answer of the API server. */
  readonly leader: string | undefined
  /** Throws the failure `NotLeading` unless `leading`. Call it before every write that only the leader may send. */
  assertLeading(): void
}

/** Called once per term, because a service runs once. */
export type Term = () => readonly Service[]

export const NOT_LEADING = 'NotLeading'

export const { [NOT_LEADING]: notLeading } = defineFailures({
  [NOT_LEADING]: {
    whoseMove: 'platform',
    retryable: true,
    nextStep: 'No action needed: the process that leads now reconciles the object.',
  },
})
