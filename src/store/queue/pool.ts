import { openPool, type Pool, type PoolOptions } from '../pool.ts'

/** Connections that only queues use. One pool may serve several queues. */
export interface QueuePool extends Pool {
  readonly forQueues: true
}

/**
 * Queues have their own connections, so that a program that has used up its others can still renew its leases.
 *
 * They also have their own planner settings: the table can be empty at one moment and full at the next, so a plan made
 * for the empty table (sequential scan and sort) must not be used for the full one.
 */
export const openQueuePool = (options: PoolOptions): QueuePool => ({
  ...openPool({
    max: 4,
    ...options,
    settings: { enable_seqscan: 'off', enable_bitmapscan: 'off', ...options.settings },
  }),
  forQueues: true,
})
