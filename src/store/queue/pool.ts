import { openPool, type Pool, type PoolOptions } from '../pool.ts'

/** Connections for queues, and for nothing else. One pool may serve several queues. */
export interface QueuePool extends Pool {
  readonly forQueues: true
}

/**
 * A program that uses up its other connections must still be able to renew its leases, so queues have their own.
 *
 * And their own planner settings: a queue's table is empty at one moment and full at the next, and a plan that was made for
 * the empty one (read it all, sort) must not be what is used for the full one.
 */
export const openQueuePool = (options: PoolOptions): QueuePool => ({
  ...openPool({
    max: 4,
    ...options,
    settings: { enable_seqscan: 'off', enable_bitmapscan: 'off', ...options.settings },
  }),
  forQueues: true,
})
