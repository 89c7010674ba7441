import type { Clock } from '../../../kernel/index.ts'
import { Table, type FakePostgresQueue } from '../../../store/fake/index.ts'
import { clusterKey } from '../queue.ts'
import type { ClusterEvent, ClusterRows, LoadedCluster } from '../rows.ts'
import type { Cluster, SyncState } from '../types.ts'

/** A cluster with what belongs to it. */
export interface ClusterRow extends LoadedCluster {
  readonly events: readonly ClusterEvent[]
}

export interface FakeClustersOptions {
  readonly queue: FakePostgresQueue
  readonly clock: Clock
  /** @default a new one */
  readonly table?: Table<ClusterRow>
  /** A write under a fence was accepted. */
  readonly onWrite?: (id: string, fence: number) => void
  /** How many apps have to go before a deleted cluster does. @default there are none */
  readonly appsLeft?: (cluster: Cluster) => number
}

/** What organizations do with clusters, and what the worker may do with their rows. */
export interface FakeClusters {
  readonly rows: ClusterRows
  readonly table: Table<ClusterRow>
  /** Orders a cluster, with the id and the fields that are given. */
  order(cluster: Pick<Cluster, 'id'> & Partial<Cluster>): Promise<void>
  change(id: string, change: Partial<Omit<Cluster, 'id'>>): Promise<void>
  remove(id: string): Promise<void>
  /** Removes the row itself, as no user can. */
  drop(id: string): Promise<void>
  get(id: string): ClusterRow | undefined
  /** The workers whose watch is current, and since when. */
  readonly seen: ReadonlyMap<string, number>
}

/** The tables of clusters in memory, with what their triggers do. As in PostgreSQL, a write under an old fence changes nothing. */
export function fakeClusters(options: FakeClustersOptions): FakeClusters {
  const { queue, clock, table = new Table(), onWrite, appsLeft } = options
  const seen = new Map<string, number>()
  const intend = (id: string, reason: 'created' | 'changed' | 'deleted', change: (row?: ClusterRow) => ClusterRow) =>
    table.inTransaction(async (all) => {
      const row = all.get(id)
      const next = change(row)
      const generation = (row?.sync.generation ?? 0) + 1
      const event: ClusterEvent = { type: 'sync_requested', message: reason }
      all.put(id, {
        ...next,
        sync: { ...next.sync, generation, syncedAt: null },
        events: [...next.events, event],
      })
      await queue.wake(clusterKey(id), { reason, tenant: next.cluster.organizationId })
    })
  const loadedOf = (row: ClusterRow | undefined): LoadedCluster | undefined =>
    row && {
      cluster: row.cluster,
      sync: row.sync,
      ...(appsLeft && { appsLeft: row.cluster.deletedAt === null ? 0 : appsLeft(row.cluster) }),
    }
  const existing = (id: string, row: ClusterRow | undefined): ClusterRow => {
    if (row === undefined) throw new Error(`there is no cluster ${id}`)
    return row
  }
  return {
    table,
    seen,
    get: (id) => table.committed().find(({ cluster }) => cluster.id === id),
    order: (cluster) =>
      intend(cluster.id, 'created', () => ({
        cluster: { ...newCluster(cluster.id, clock.now()), ...cluster },
        sync: newSync(clock.now()),
        events: [],
      })),
    change: (id, change) =>
      intend(id, 'changed', (row) => {
        const { cluster, ...rest } = existing(id, row)
        return { ...rest, cluster: { ...cluster, ...change } }
      }),
    remove: (id) =>
      intend(id, 'deleted', (row) => {
        const { cluster, ...rest } = existing(id, row)
        return { ...rest, cluster: { ...cluster, deletedAt: cluster.deletedAt ?? clock.now() } }
      }),
    drop: (id) => table.inTransaction(async (all) => all.remove(id)),
    rows: {
      load: (id) => table.inTransaction(async (all) => loadedOf(all.get(id))),
      write: (id, fence, patch, events) =>
        table.inTransaction(async (all) => {
          const row = all.get(id)
          if (row === undefined || queue.fenceOf(clusterKey(id)) !== fence) return false
          const sync = { ...row.sync, ...patch }
          const isCurrent = sync.syncedGeneration === row.sync.generation
          all.put(id, {
            ...row,
            sync: { ...sync, syncedAt: isCurrent ? sync.syncedAt : null },
            events: [...row.events, ...events],
          })
          onWrite?.(id, fence)
          return true
        }),
      page: (after = '', limit) =>
        table.inTransaction(async (all) =>
          all
            .list()
            .filter(({ cluster, sync }) => sync.status !== 'deleted' && cluster.id > after)
            .slice(0, limit)
            .flatMap((row) => loadedOf(row) ?? []),
        ),
      living: (ids) =>
        table.inTransaction(
          async (all) => new Set(ids.filter((id) => (all.get(id)?.sync.status ?? 'deleted') !== 'deleted')),
        ),
      known: (ids) => table.inTransaction(async (all) => new Set(ids.filter((id) => all.get(id) !== undefined))),
      organizations: (ids) =>
        table.inTransaction(async (all) => {
          const known = new Set(all.list().map(({ cluster }) => cluster.organizationId))
          return new Set(ids.filter((id) => known.has(id)))
        }),
      count: () =>
        table.inTransaction(async (all) => {
          const rows = all.list()
          return { living: rows.filter(({ sync }) => sync.status !== 'deleted').length, all: rows.length }
        }),
      seen: async (instance) => void seen.set(instance, clock.now()),
    },
  }
}

const newCluster = (id: string, now: number): Cluster => ({
  id,
  organizationId: 'o1',
  name: `cluster-${id}`,
  region: 'local',
  kubernetesVersion: '1.34.3',
  isHibernated: false,
  maintenance: null,
  operation: null,
  nodePools: [{ id: `${id}-p`, name: 'default', machineType: 'local', autoscaleMin: 1, autoscaleMax: 3 }],
  createdAt: now,
  deletedAt: null,
})

const newSync = (now: number): SyncState => ({
  generation: 0,
  syncedGeneration: 0,
  syncedAt: null,
  failure: null,
  attempts: 0,
  lastAttemptAt: null,
  status: 'pending',
  statusMessage: null,
  statusFailure: null,
  statusChangedAt: now,
  shoot: null,
  retries: 0,
  closedOperation: null,
})
