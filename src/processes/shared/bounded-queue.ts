import type { Key, Queue } from '../../kernel/index.ts'
import { claimOne, type QueuePool } from '../../store/index.ts'

/** A queue for a worker that ends when its work is done. */
export interface BoundedQueue {
  readonly queue: Queue
  /** Resolves with the number of keys that ran, when nothing is left to do. */
  readonly over: Promise<number>
}

/**
 * Runs the due keys, and those that become due by that; ends when nothing is due and nothing runs.
 *
 * Wakes by this process are dropped: the long-running workers notice the same changes.
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
        // While a key runs, its tenant may have used up its share, and the key may be woken again.
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
