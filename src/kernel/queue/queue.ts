import type { Failure } from '../errors.ts'
import type { Key, WakeReason } from '../key.ts'

export interface Wake {
  readonly reason: WakeReason
  /** Keys of one tenant take turns with those of the others. Keys without one count as one tenant that no share limits. */
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
}

/** How a run ended, as far as the queue is concerned. */
export type Finish =
  | { readonly then: 'forget' }
  /** Waiting: due again after a while, attempts start from zero. */
  | { readonly then: 'again'; readonly afterMs: number; readonly because: string }
  /** Failed: due again after a while, one attempt more. */
  | { readonly then: 'retry'; readonly afterMs: number; readonly failure: Failure }
  /** Given up: does not run before somebody wakes it. */
  | { readonly then: 'park'; readonly failure: Failure }
  /** Not finished and not to blame: another worker may take it at once, with the same attempt. */
  | { readonly then: 'handBack' }

/** How much of a claim one tenant may get. */
export interface Share {
  /** The most keys of one tenant that run at once in this worker. */
  readonly perTenant: number
  /** How many of each tenant's keys this worker runs at the moment. */
  readonly running: ReadonlyMap<string, number>
}

/**
 * A queue of keys.
 *
 * - Stingy: a key is never claimed twice at the same time; many wakes before a run make one run.
 * - Honest: a wake during a run is not lost; the key becomes due again when that run finishes.
 * - Coalescing: a further wake keeps the earlier due time and the stronger reason; one made by a user forgives attempts.
 * - Ordered: what a user changed runs before what merely drifted; among equals tenants take turns; within a tenant first come, first served.
 * - Leased: a claim that is not renewed within `leaseMs` belongs to nobody and is claimed by the next who asks.
 * - Fenced: every claim has a greater fence than all before it; an outdated one can neither finish nor renew.
 */
export interface Queue {
  readonly leaseMs: number
  wake(key: Key, wake: Wake): Promise<void>
  /** Takes up to `limit` due keys. An empty answer means: nothing due now. */
  claim(worker: string, limit: number, share?: Share): Promise<Claim[]>
  /** Extends the leases. Answers with those that had already passed to somebody else. */
  renew(claims: readonly Claim[]): Promise<Claim[]>
  /** False: the lease had passed to somebody else, and nothing was changed. */
  finish(claim: Claim, how: Finish): Promise<boolean>
  /** A hint that something may be due. Hints can be lost; asking again from time to time is always correct. */
  onReady(listener: () => void): () => void
}
