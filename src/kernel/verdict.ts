import { delayFor, jittered, type Backoff } from './backoff.ts'
import type { KernelEvents } from './emitter.ts'
import { failureOf, retryAfterOf } from './errors.ts'
import { TARGET_LOCK_LOST } from './holding.ts'
import { NOT_LEADING } from './leader.ts'
import { Waiting } from './outcome.ts'
import type { Claim, Finish } from './queue/queue.ts'
import type { Random } from './random.ts'

/**
 * The right to act was lost, to another process or because the API server was away. That says nothing about the object, so
 * it costs no attempt, and the key is due soon.
 */
const RIGHT_LOST: ReadonlySet<string> = new Set([NOT_LEADING, TARGET_LOCK_LOST])
const RIGHT_LOST_MS = 2_000

/** How a run that threw ends. A failure that is not retryable, or one too many, parks the key. */
export function verdictOnError(
  { attempt }: Pick<Claim, 'attempt'>,
  error: unknown,
  backoff: Backoff,
  random: Random,
): Finish {
  if (error instanceof Waiting) return { then: 'again', afterMs: error.afterMs, because: error.message }
  const failure = failureOf(error)
  if (RIGHT_LOST.has(failure.code)) return { then: 'again', afterMs: RIGHT_LOST_MS, because: failure.message }
  const failures = attempt + 1
  if (!failure.retryable || failures >= (backoff.maxAttempts ?? Infinity)) return { then: 'park', failure }
  return {
    then: 'retry',
    afterMs: Math.max(retryAfterOf(error) ?? 0, jittered(delayFor(failures, backoff), random)),
    failure,
  }
}

type Ended = Pick<KernelEvents['reconcile:end'], 'outcome' | 'because' | 'failure'>

/** The end of a run as it is reported. `kept`: the queue accepted it. */
export function outcomeOf(how: Finish, kept: boolean): Ended {
  if (!kept) return { outcome: 'lost' }
  switch (how.then) {
    case 'forget':
      return { outcome: 'settled' }
    case 'again':
    case 'postpone':
      return { outcome: 'checkAgain', because: how.because }
    case 'retry':
      return { outcome: 'retry', failure: how.failure }
    case 'park':
    case 'giveUp':
      return { outcome: 'terminal', failure: how.failure }
    case 'handBack':
      return { outcome: 'handedBack' }
    default:
      return how satisfies never
  }
}
