import type { Clock } from '../../../kernel/index.ts'
import type { Actor, Pool, PostgresQueue, Tx } from '../../../store/index.ts'

/**
 * The apps in clusters, whoever they belong to; the domain of apps implements it. Called inside of the transaction that has
 * locked the cluster, for an actor who may delete it.
 */
export interface ClusterApps {
  /** The names of those of which something is left. */
  of(tx: Tx, clusterId: string): Promise<readonly string[]>
  removeAll(tx: Tx, actor: Actor, clusterId: string): Promise<void>
}

/** What the use cases work with; the composition root fills it. */
export interface ClustersDeps {
  readonly pool: Pool
  /** The queue named `CLUSTERS_QUEUE`. */
  readonly queue: Pick<PostgresQueue, 'wakeIn'>
  /** @default there are none */
  readonly apps?: ClusterApps
  readonly clock: Clock
}
