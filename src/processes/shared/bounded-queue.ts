import type { Key, Queue } from '../../kernel/index.ts'
import { claimOne, type QueuePool } from '../../store/index.ts'

/** A queue for a worker that is to end. */
export interface BoundedQueue {
  readonly queue: Queue
  /** Resolves when there is nothing left to do, with how many keys were run. */
  readonly over: Promise<number>
}

/**
 * Runs what is due, and what becomes due by running it; ends at the first moment at which nothing is due and nothing runs.
 *
 * What this process notices meanwhile is left to the workers: it wakes nothing.
 */
export function untilNothingIsDue(inner: Queue): BoundedQueue {
  return bounded(inner, (worker, limit, share) => inner.claim(worker, limit, share))
}

/** Runs one key, once. */
export function onlyOnce(inner: Queue & { readonly name: string }, pool: QueuePool, key: Key): BoundedQueue {
  let asked = false
  return bounded(inner, async (worker) => {
    if (asked) return []
    asked = true
    const claim = await claimOne(pool, { queue: inner.name, key, worker, leaseMs: inner.leaseMs })
    return claim === undefined ? [] : [claim]
  })
}

function bounded(inner: Queue, claim: Queue['claim']): BoundedQueue {
  const over = Promise.withResolvers<number>()
  const running = new Set<number>()
  let count = 0
  return {
    over: over.promise,
    queue: {
      leaseMs: inner.leaseMs,
      wake: () => Promise.resolve(),
      async claim(worker, limit, share) {
        // While something runs, its tenant may have used up its share, and it may be woken again.
        const isIdle = running.size === 0
        const claims = await claim(worker, limit, share)
        for (const { fence } of claims) running.add(fence)
        count += claims.length
        if (isIdle && claims.length === 0) over.resolve(count)
        return claims
      },
      renew: (claims) => inner.renew(claims),
      async finish(done, how) {
        try {
          return await inner.finish(done, how)
        } finally {
          running.delete(done.fence)
        }
      },
      onReady: (listener) => inner.onReady(listener),
    },
  }
}
