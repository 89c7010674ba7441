import { openPool, type Pool, type PoolOptions } from '../pool.ts'

/** Connections that only queues use. One pool may serve several queues. */
export interface QueuePool extends Pool {
  readonly forQueues: true
}

export interface QueuePoolOptions extends PoolOptions {
  /** The shortest lease of the queues that use this pool. @default 20_000, as `PostgresQueue` */
  readonly leaseMs?: number
}

/**
 * Queues have connections of their own: a program that has used up the others must still be able to renew its
 * leases.
 *
 * They also have their own timeouts and planner settings. A connection that stops answering is noticed within
 * a quarter of the lease; before that the server cancels a slow statement, so that no claim succeeds after
 * its caller gave up. And a plan made for an empty table (sequential scan, sort) must not be used for a full
 * one.
 */
export function openQueuePool({ leaseMs = 20_000, ...options }: QueuePoolOptions): QueuePool {
  const queryTimeoutMs = options.queryTimeoutMs ?? Math.floor(leaseMs / 4)
  const statementTimeoutMs = Math.ceil(queryTimeoutMs * 0.8)
  const pool = openPool({
    max: 4,
    queryTimeoutMs,
    statementTimeoutMs,
    lockTimeoutMs: Math.min(2_000, Math.ceil(statementTimeoutMs / 2)),
    ...options,
    settings: { enable_seqscan: 'off', enable_bitmapscan: 'off', ...options.settings },
  })
  return { ...pool, forQueues: true }
}
