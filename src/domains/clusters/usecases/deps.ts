import type { Clock } from '../../../kernel/index.ts'
import type { Pool, PostgresQueue } from '../../../store/index.ts'

/** What the use cases work with; the composition root fills it. */
export interface ClustersDeps {
  readonly pool: Pool
  /** The queue named `CLUSTERS_QUEUE`. */
  readonly queue: Pick<PostgresQueue, 'wakeIn'>
  readonly clock: Clock
}
