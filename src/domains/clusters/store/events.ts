import { listed, msOf, notOurs, type Listed, type PageOptions, type Runner, type Tx } from '../../../store/index.ts'
import type { ClusterEventType } from '../types.ts'

/** As it is stored: `actor` is the id of a user, `platform` or the name of a worker. */
export interface StoredEvent {
  readonly id: string
  readonly type: ClusterEventType
  readonly actor: string
  readonly message: string | null
  readonly attempt: number | null
  readonly createdAt: number
}

interface EventRow extends Omit<StoredEvent, 'type' | 'createdAt'> {
  readonly event_type: ClusterEventType
  readonly created: Date
}

const isNumber = (id: string): boolean => /^\d{1,18}$/.test(id)

/** Newest first. */
export async function listEvents(
  on: Runner,
  clusterId: string,
  { limit, after }: PageOptions,
): Promise<Listed<StoredEvent>> {
  if (after !== undefined && !isNumber(after[0] ?? '')) throw notOurs()
  const rows = await on.query<EventRow>(
    `select id, event_type, actor, message, attempt, created from tenant.cluster_events
     where cluster_id = $2 and ($3::bigint is null or id < $3) order by id desc limit $1`,
    [limit + 1, clusterId, after?.[0] ?? null],
  )
  const events = rows.map(({ event_type: type, created, ...row }) => ({ ...row, type, createdAt: msOf(created) }))
  return listed(events, limit, ({ id }) => [id])
}

/** A person asks for a sync without a change. */
export async function insertRequest(
  tx: Tx,
  cluster: { readonly id: string; readonly organizationId: string },
  actor: string,
  message: string,
): Promise<void> {
  await tx.query(
    `insert into tenant.cluster_events (cluster_id, organization_id, event_type, actor, message)
     values ($1, $2, 'sync_requested', $3, $4)`,
    [cluster.id, cluster.organizationId, actor, message],
  )
}
