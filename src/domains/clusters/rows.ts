import type { Cluster, ClusterEventType, SyncState } from './types.ts'

/** Everything that a reconcile needs from the database, read together. */
export interface LoadedCluster {
  readonly cluster: Cluster
  readonly sync: SyncState
  /** Apps in it that have to go before it does. Told while it is being deleted. @default 0 */
  readonly appsLeft?: number
}

/** What a worker writes into the row of a cluster. Absent fields stay as they are. */
export type SyncPatch = Partial<Omit<SyncState, 'generation'>>

/** One line of the history that users see. */
export interface ClusterEvent {
  readonly type: ClusterEventType
  readonly message: string
  readonly attempt?: number
}

/** What the worker may do with rows. Every write carries the fence and is refused once the lease has passed on. */
export interface ClusterRows {
  load(id: string): Promise<LoadedCluster | undefined>
  /**
   * Writes state and history in one transaction. False: the lease behind `fence` has passed to another worker, and nothing
   * was written.
   *
   * `syncedGeneration` completes that generation alone: in a row that was changed since, `syncedAt` stays null.
   */
  write(id: string, fence: number, patch: SyncPatch, events: readonly ClusterEvent[]): Promise<boolean>
  /** All of which something may be left, by id, deleted ones until their Shoots are gone. */
  page(after: string | undefined, limit: number): Promise<readonly LoadedCluster[]>
  /** Which of these ids have a row whose Shoot may exist: one that is not `deleted`. */
  living(ids: readonly string[]): Promise<ReadonlySet<string>>
  /** Which of these ids have a row at all. Rows are never removed: a deleted cluster keeps its own. */
  known(ids: readonly string[]): Promise<ReadonlySet<string>>
  /** Which of these organizations have or had a cluster. */
  organizations(ids: readonly string[]): Promise<ReadonlySet<string>>
  /** Number of rows whose Shoots may exist, and of all rows that ever were. */
  count(): Promise<{ readonly living: number; readonly all: number }>
  /** Tells that the watch on Gardener is current, for the age of every status. */
  seen(instance: string): Promise<void>
}
