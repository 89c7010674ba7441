import { isId, type Pool } from '../../../store/index.ts'
import type { ClusterRows } from '../rows.ts'
import { CLUSTER, CLUSTERS_QUEUE } from '../queue.ts'
import { APPS_LEFT, CLUSTER_COLUMNS, FROM_CLUSTERS, IS_LEFT, loadedOf, type ClusterRow } from './columns.ts'
import { HELD } from './held.ts'

/**
 * State and history in one statement. When the cluster was changed while the worker wrote the Shoot, the generation has
 * moved on, and `synced` stays empty.
 */
const WRITE = `
  ${HELD}, written as (
    update tenant.cluster_sync s set
      synced_generation = coalesce((new ->> 'syncedGeneration')::bigint, s.synced_generation),
      synced = case
        when new ? 'syncedAt' and coalesce((new ->> 'syncedGeneration')::bigint, s.synced_generation) = s.generation
          then to_timestamp((new ->> 'syncedAt')::float8 / 1000)
        else s.synced end,
      sync_failure = case when new ? 'failure' then nullif(new -> 'failure', 'null') else s.sync_failure end,
      sync_error = case when new ? 'failure' then new #>> '{failure,message}' else s.sync_error end,
      sync_attempts = coalesce((new ->> 'attempts')::int, s.sync_attempts),
      sync_last_attempt = case
        when new ? 'lastAttemptAt' then to_timestamp((new ->> 'lastAttemptAt')::float8 / 1000)
        else s.sync_last_attempt end,
      shoot_status = coalesce(new ->> 'status', s.shoot_status),
      shoot_status_message = case when new ? 'statusMessage' then new ->> 'statusMessage' else s.shoot_status_message end,
      shoot_status_failure = case
        when new ? 'statusFailure' then nullif(new -> 'statusFailure', 'null') else s.shoot_status_failure end,
      shoot_status_updated = case
        when new ? 'statusChangedAt' then to_timestamp((new ->> 'statusChangedAt')::float8 / 1000)
        else s.shoot_status_updated end,
      shoot = case when new ? 'shoot' then nullif(new -> 'shoot', 'null') else s.shoot end,
      shoot_retries = coalesce((new ->> 'retries')::int, s.shoot_retries)
    from held, (select $3::jsonb as new) patch
    where s.cluster_id = held.id
    returning s.cluster_id, s.organization_id
  ),
  told as (
    insert into tenant.cluster_events (cluster_id, organization_id, event_type, actor, message, attempt)
    select w.cluster_id, w.organization_id, e.event ->> 'type', j.locked_by, e.event ->> 'message',
      (e.event ->> 'attempt')::int
    from written w
    join caelus.job j on j.queue = '${CLUSTERS_QUEUE}' and j.kind = '${CLUSTER}' and j.id = w.cluster_id::text
    cross join jsonb_array_elements($4::jsonb) with ordinality as e (event, nth)
    order by e.nth
  )
  select cluster_id from written`

const LOADED = `${CLUSTER_COLUMNS}, ${APPS_LEFT} ${FROM_CLUSTERS}`

const LOAD = `select ${LOADED} where c.id = $1`

const PAGE = `
  select ${LOADED} where ${IS_LEFT} and ($1::uuid is null or c.id > $1) order by c.id limit $2`

const LIVING = `select c.id ${FROM_CLUSTERS} where c.id = any ($1::uuid[]) and ${IS_LEFT}`

const ORGANIZATIONS =
  'select distinct organization_id as id from tenant.clusters where organization_id = any ($1::uuid[])'

const COUNT = `
  select (count(*) filter (where ${IS_LEFT}))::int as living, count(*)::int as "all" ${FROM_CLUSTERS}`

/** The rows of workers that are long gone go with it. */
const SEEN = `
  with gone as (delete from tenant.cluster_watch where seen < now() - interval '1 day' and instance <> $1)
  insert into tenant.cluster_watch (instance) values ($1) on conflict (instance) do update set seen = now()`

/** Rows for the worker; `pool` acts as `caelus_worker`. */
export const clusterRows = (pool: Pool): ClusterRows => ({
  async load(id) {
    if (!isId(id)) return undefined
    const [row] = await pool.query<ClusterRow>(LOAD, [id])
    return row && loadedOf(row)
  },
  async write(id, fence, patch, events) {
    const rows = await pool.query(WRITE, [id, fence, patch, JSON.stringify(events)])
    return rows.length > 0
  },
  async page(after, limit) {
    const rows = await pool.query<ClusterRow>(PAGE, [after ?? null, limit])
    return rows.map(loadedOf)
  },
  async living(ids) {
    const rows = await pool.query<{ id: string }>(LIVING, [ids.filter(isId)])
    return new Set(rows.map(({ id }) => id))
  },
  async organizations(ids) {
    const rows = await pool.query<{ id: string }>(ORGANIZATIONS, [ids.filter(isId)])
    return new Set(rows.map(({ id }) => id))
  },
  async count() {
    const [row] = await pool.query<{ living: number; all: number }>(COUNT)
    return row ?? { living: 0, all: 0 }
  },
  async seen(instance) {
    await pool.query(SEEN, [instance])
  },
})
