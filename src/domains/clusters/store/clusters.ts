import { isId, listed, markOf, msOrNull, timeMark, type Listed, type Runner, type Tx } from '../../../store/index.ts'
import type { Cluster, Operation } from '../types.ts'
import type { ClusterFilter, ClusterInput, ListedCluster } from '../usecases/port.ts'
import {
  CLUSTER_COLUMNS,
  FROM_CLUSTERS,
  IS_LEFT,
  loadedOf,
  maintenanceColumn,
  operationColumn,
  type ClusterRow,
} from './columns.ts'

export const NAME_INDEX = 'clusters_name'

interface ListedRow extends ClusterRow {
  readonly organization_name: string
  readonly as_of: Date | null
  readonly due_at: Date | null
}

/**
 * `ids` is a page by then: what people want to see beside it is looked up for its rows alone. A status holds for as long as the
 * watch is current, but not longer than until something happened that no worker has looked at yet.
 */
const described = (ids: string): string => `
  select ${CLUSTER_COLUMNS}, o.name as organization_name, q.due_at,
    case when watch.seen is not null then greatest(least(watch.seen, q.due_at), s.shoot_status_updated) end as as_of
  from (${ids}) page
  join tenant.clusters c on c.id = page.id
  join tenant.cluster_sync s on s.cluster_id = c.id
  join tenant.organizations o on o.id = c.organization_id
  left join lateral (select due_at from tenant.cluster_claims where cluster_id = c.id::text limit 1) q on true
  cross join (select max(seen) as seen from tenant.cluster_watch) watch
  order by c.created desc, c.id desc`

const FIND = described(
  'select id from tenant.clusters where id = $1 and ($2::text is null or organization_id::text = $2) offset 0',
)

const LIST = described(`
  select c.id ${FROM_CLUSTERS}
  where ($2::timestamptz is null or (c.created, c.id) < ($2, $3::uuid))
    and ($4::uuid is null or c.organization_id = $4)
    and ($5::text is null or s.shoot_status = $5)
    and ($6::text is null or c.name = $6)
    and ($7 or ${IS_LEFT})
  order by c.created desc, c.id desc limit $1`)

function listedOf(row: ListedRow): ListedCluster {
  const { cluster, sync } = loadedOf(row)
  return {
    ...cluster,
    sync,
    organizationName: row.organization_name,
    statusAsOf: msOrNull(row.as_of),
    nextSyncAt: msOrNull(row.due_at),
  }
}

/** Also when it is deleted. */
export async function findCluster(
  on: Runner,
  organizationId: string | undefined,
  id: string,
): Promise<ListedCluster | undefined> {
  if (!isId(id)) return undefined
  const [row] = await on.query<ListedRow>(FIND, [id, organizationId ?? null])
  return row && listedOf(row)
}

/** Apps in it that have to go before it does. */
export async function countAppsLeft(on: Runner, id: string): Promise<number> {
  const [row] = await on.query<{ left: number }>('select tenant.cluster_apps_left($1) as left', [id])
  return row?.left ?? 0
}

/** Serializes changes of what a cluster should be. Read apart, so that what others changed before is seen. */
export async function lockCluster(tx: Tx, organizationId: string, id: string): Promise<ListedCluster | undefined> {
  if (!isId(id)) return undefined
  await tx.query('select from tenant.clusters where id = $1 for no key update', [id])
  return await findCluster(tx, organizationId, id)
}

/** Newest first. Those of which nothing is left are listed when their status is asked for. */
export async function listClusters(on: Runner, filter: ClusterFilter): Promise<Listed<ListedCluster>> {
  const { limit, after, organizationId, status, name } = filter
  const rows = await on.query<ListedRow>(LIST, [
    limit + 1,
    ...timeMark(after),
    organizationId ?? null,
    status ?? null,
    name ?? null,
    status === 'deleted',
  ])
  return listed(rows.map(listedOf), limit, ({ createdAt, id }) => [markOf(createdAt), id])
}

/** Throws a violation of `NAME_INDEX` when the name is in use. */
export async function insertCluster(tx: Tx, organizationId: string, id: string, input: ClusterInput): Promise<void> {
  const { name, region, kubernetesVersion, maintenance = null } = input
  await tx.query(
    `insert into tenant.clusters (id, organization_id, name, region, kubernetes_version, maintenance)
     values ($1, $2, $3, $4, $5, $6)`,
    [id, organizationId, name, region, kubernetesVersion, maintenance && maintenanceColumn(maintenance)],
  )
}

export type Intent = Pick<Cluster, 'name' | 'kubernetesVersion' | 'isHibernated' | 'maintenance'>

/** Throws a violation of `NAME_INDEX` when the name is in use. */
export async function writeIntent(tx: Tx, id: string, intent: Intent): Promise<void> {
  await tx.query(
    `update tenant.clusters set name = $2, kubernetes_version = $3, is_hibernated = $4, maintenance = $5 where id = $1`,
    [
      id,
      intent.name,
      intent.kubernetesVersion,
      intent.isHibernated,
      intent.maintenance && maintenanceColumn(intent.maintenance),
    ],
  )
}

export async function writeOperation(tx: Tx, id: string, operation: Operation): Promise<void> {
  await tx.query('update tenant.clusters set operation = $2 where id = $1', [id, operationColumn(operation)])
}

export async function markDeleted(tx: Tx, id: string): Promise<void> {
  await tx.query(`update tenant.clusters set deleted = date_trunc('milliseconds', now()) where id = $1`, [id])
}

/** Whether another cluster of the organization has the name. */
export async function isNameTaken(
  on: Runner,
  organizationId: string,
  name: string,
  butBy: string | null,
): Promise<boolean> {
  const rows = await on.query(
    `select from tenant.clusters
     where organization_id = $1 and name = $2 and deleted is null and ($3::uuid is null or id <> $3)`,
    [organizationId, name, butBy],
  )
  return rows.length > 0
}
