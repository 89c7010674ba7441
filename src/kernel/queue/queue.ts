import type { Failure } from '../errors.ts'
import type { Key, WakeReason } from '../key.ts'

export interface Wake {
  readonly reason: WakeReason
  /**
   * Keys of one tenant take turns with those of the others. Keys without one count as one tenant that no share limits.
   * Empty: none. A key that has a tenant keeps it, unless a user's change names another.
   */
  readonly tenant?: string
  /** Not before this delay. @default 0 */
  readonly afterMs?: number
}

/** A lease on a key. Everything done under it carries the fence. */
export interface Claim {
  readonly key: Key
  readonly reason: WakeReason
  readonly tenant: string | undefined
  /** How many runs of this key failed since it last succeeded or was changed by a user. */
  readonly attempt: number
  readonly fence: number
  /**
   * How many leases of this key lapsed in a row, if this claim takes over from a lapsed one; otherwise 0.
   * A run that finishes, or a change by a user, resets the count.
   */
  readonly lapses: number
}

/** How a run ended, as far as the queue is concerned. */
export type Finish =
  | { readonly then: 'forget' }
  /** Waiting: due again after a while, attempts start from zero. */
  | { readonly then: 'again'; readonly afterMs: number; readonly because: string }
  /** Failed: due again after a while, one attempt more. */
  | { readonly then: 'retry'; readonly afterMs: number; readonly failure: Failure }
  /** Failed for good: does not run before it is woken. */
  | { readonly then: 'park'; readonly failure: Failure }
  /** Not finished: another worker may take it at once, with the same attempt. */
  | { readonly then: 'handBack' }
  /** Not run, because earlier runs lapsed: due again after a while, or at once after a wake by a user during the claim. */
  | { readonly then: 'postpone'; readonly afterMs: number; readonly because: string }
  /**
   * Not run, because earlier runs lapsed: parked, with its lapses kept. Only a user's wake during the claim
   * runs it. Later it ignores changes of its children, which could kill one worker after the other.
   */
  | { readonly then: 'giveUp'; readonly failure: Failure }

/** How much of a claim one tenant may get. */
export interface Share {
  /** The most keys of one tenant that run at once in this worker. */
  readonly perTenant: number
  /** How many of each tenant's keys this worker runs at the moment. */
  readonly running: ReadonlyMap<string, number>
}

/** The claims whose lease was not extended. */
export interface Renewal {
  /** The lease has passed to another claim, or the key is gone. */
  readonly gone: readonly Claim[]
  /** The lease is as it was: another transaction holds the row. Asking again later may extend it. */
  readonly untouched: readonly Claim[]
}

/**
 * A queue of keys.
 *
 * - Exclusive: a key is never claimed twice at the same time; many wakes before a run make one run.
 * - Reliable: a wake during a run is kept; the key becomes due again when that run finishes.
 * - Coalescing: a further wake keeps the earlier due time and the stronger reason; one made by a user resets attempts.
 *   Drift during or after a failed run does not cut its backoff short; it does run a parked key.
 * - Ordered: user changes run before drift; among equals tenants take turns; within a tenant first come, first served.
 * - Leased: a claim that is not renewed within `leaseMs` lapses, and the next worker that asks gets the key.
 * - Fenced: every claim has a greater fence than all before it; an outdated one can neither finish nor renew.
 */
export interface Queue {
  readonly leaseMs: number
  wake(key: Key, wake: Wake): Promise<void>
  /** Takes up to `limit` due keys. An empty answer means: nothing due now. */
  claim(worker: string, limit: number, share?: Share): Promise<Claim[]>
  /** Extends the leases, except those that the answer names. */
  renew(claims: readonly Claim[]): Promise<Renewal>
  /** False: the lease had passed to another claim, and nothing was changed. */
  finish(claim: Claim, how: Finish): Promise<boolean>
  /** A hint that something may be due. Hints can be lost; asking again from time to time is always correct. */
  onReady(listener: () => void): () => void
}
