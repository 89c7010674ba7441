export { claimOne } from './claim-one.ts'
export { heldKey, whileAllHeld, whileHeld } from './held.ts'
export {
  failJob,
  freezeTenant,
  JOB_STATES,
  listJobs,
  queueDepths,
  requeueJob,
  unfreezeTenant,
  type Depth,
  type Job,
  type JobFilter,
  type JobState,
} from './operate.ts'
export { openQueuePool, type QueuePool, type QueuePoolOptions } from './pool.ts'
export { PostgresQueue, type PostgresQueueOptions } from './postgres-queue.ts'
export type { WakeCall } from './wake.ts'
