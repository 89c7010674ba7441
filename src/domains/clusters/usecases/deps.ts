import type { Clock } from '../../../kernel/index.ts'
import type { Actor, Listed, PageOptions, Pool, PostgresQueue, Tx } from '../../../store/index.ts'

/** An app in a cluster: what everyone may know who sees the cluster. */
export interface AppInCluster {
  readonly id: string
  readonly userId: string
  readonly name: string
  readonly status: string
  readonly statusSince: number
}

/** The apps in clusters, those of all users; the domain of apps implements it. */
export interface ClusterApps {
  /** Those of which something is left, newest first. For an actor who may see the cluster. */
  list(tx: Tx, clusterId: string, page: PageOptions): Promise<Listed<AppInCluster>>
  /** The names of those of which something is left. */
  of(tx: Tx, clusterId: string): Promise<readonly string[]>
  /** Inside of the transaction that has locked the cluster, for an actor who may delete it. */
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
