import { delayFor, type Backoff, type Failure } from '../../kernel/index.ts'
import { RETRIED } from './failures.ts'

/**
 * What is remembered of bringing one digest to the control plane. It outlives jobs and workers, so that an intent that keeps
 * failing is tried a bounded number of times.
 */
export interface RolloutState {
  readonly digest: string
  /** The deployment's `retries` when it began: a person who asks for a retry starts anew. */
  readonly retries: number
  /** Tries of this digest that failed. */
  readonly failures: number
  readonly failure: Failure | null
  readonly failedAt: number | null
  /** The revision that was deployed and did not become healthy. */
  readonly failedRevision: number | null
  /** Times that a rollback of the last failed try was begun. */
  readonly rollbacks: number
  /** When it has to be healthy. `null`: it was not seen deployed yet. */
  readonly deadlineAt: number | null
  /** The digest that was last seen healthy: what a rollback goes back to. */
  readonly healthyDigest: string | null
}

/** Ten seconds doubling to ten minutes. A digest that failed so often is not tried again by itself. */
export const APPS_BACKOFF: Backoff = { baseMs: 10_000, capMs: 600_000, maxAttempts: 5 }

type Tried = { readonly rollout: RolloutState | null; readonly retries: number }

/** A rollback that its worker did not survive is begun again, but not for ever. */
const MOST_ROLLBACKS = 5

/** The state of this digest; a fresh one when the last was of another digest or a person asked for a retry since. */
export function rolloutFor({ rollout, retries }: Tried, digest: string): RolloutState {
  if (rollout?.digest === digest && rollout.retries === retries) return rollout
  return {
    digest,
    retries,
    failures: 0,
    failure: null,
    failedAt: null,
    failedRevision: null,
    rollbacks: 0,
    deadlineAt: null,
    healthyDigest: rollout?.healthyDigest ?? null,
  }
}

/** A person asked to try what is deployed already once more. */
export const isRetried = ({ rollout, retries }: Tried, digest: string): boolean =>
  rollout !== null && rollout.digest === digest && rollout.retries !== retries

/** Helm is about to run: what was known of the revision before says nothing about the next. */
export const begun = (state: RolloutState): RolloutState => ({ ...state, deadlineAt: null, failedRevision: null })

export const failed = (
  state: RolloutState,
  failure: Failure,
  at: number,
  revision: number | null = null,
): RolloutState => ({
  ...state,
  failures: state.failures + 1,
  failure,
  failedAt: at,
  failedRevision: revision,
  rollbacks: 0,
  deadlineAt: null,
})

export const rollingBack = (state: RolloutState): RolloutState => ({ ...state, rollbacks: state.rollbacks + 1 })

export const mayRollBack = ({ failures, rollbacks }: RolloutState): boolean =>
  failures > 0 && rollbacks < MOST_ROLLBACKS

/** Nothing is held against a digest that was seen healthy. */
export const healthy = (state: RolloutState): RolloutState => ({
  ...rolloutFor({ rollout: null, retries: state.retries }, state.digest),
  healthyDigest: state.digest,
})

/** Failures of the platform, and unexpected ones, say nothing about the digest. */
export const countsAsTry = ({ code, whoseMove }: Failure): boolean => whoseMove !== 'platform' && code !== 'Unexpected'

/** Whether it was tried as often as it may be, or failed in a way that another try cannot mend. */
export const isExhausted = ({ failures, failure }: RolloutState, { maxAttempts = Infinity }: Backoff): boolean =>
  failure !== null && (!failure.retryable || failures >= maxAttempts)

/** Why nothing is tried any more. `stalled`: it could have succeeded; `error`: it could not. */
export function givenUp({ failures, failure }: RolloutState): { status: 'stalled' | 'error'; failure: Failure } {
  if (failure === null) throw new Error('a rollout that never failed is not given up')
  if (!failure.retryable) return { status: 'error', failure }
  const nextStep = `${failure.nextStep.replace(RETRIED, '').trim()} Then change the deployment, or retry it.`
  const message = `${failure.message} (tried ${failures} times, and not again by itself)`
  return { status: 'stalled', failure: { ...failure, message, nextStep: nextStep.trim(), retryable: false } }
}

/** When the next try is due. */
export const dueAt = ({ failures, failedAt }: RolloutState, backoff: Backoff): number =>
  failedAt === null ? 0 : failedAt + delayFor(failures, backoff)
