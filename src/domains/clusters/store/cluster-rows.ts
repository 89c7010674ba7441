import { Batch, isId, isRefused, whileAllHeld, type Pool } from '../../../store/index.ts'
import type { ClusterEvent, ClusterRows, SyncPatch } from '../rows.ts'
import { CLUSTER, CLUSTERS_QUEUE } from '../queue.ts'
import { APPS_LEFT, CLUSTER_COLUMNS, FROM_CLUSTERS, IS_LEFT, loadedOf, type ClusterRow } from './columns.ts'

/**
 * State and history of clusters in one statement. When a cluster was changed while the worker wrote its Shoot, the generation
 * has moved on, and `synced` stays empty.
 */
const writeWhere = (held: string): string => `
  ${held}, written as (
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
      shoot_retries = coalesce((new ->> 'retries')::int, s.shoot_retries),
      closed_operation = case when new ? 'closedOperation' then new ->> 'closedOperation' else s.closed_operation end
    from (select id, given -> 'patch' as new from held) patch
    where s.cluster_id = patch.id
    returning s.cluster_id, s.organization_id
  ),
  told as (
    insert into tenant.cluster_events (cluster_id, organization_id, event_type, actor, message, attempt)
    select w.cluster_id, w.organization_id, e.event ->> 'type', h.locked_by, e.event ->> 'message',
      (e.event ->> 'attempt')::int
    from written w
    join held h on h.id = w.cluster_id
    cross join jsonb_array_elements(h.given -> 'events') with ordinality as e (event, nth)
    order by w.cluster_id, e.nth
  )
  select cluster_id as id from written`

const WRITE = writeWhere(whileAllHeld(CLUSTERS_QUEUE, CLUSTER))
/** Fails where somebody else has locked one of them: waiting for it while others are locked could end in a deadlock. */
const WRITE_TOGETHER = writeWhere(whileAllHeld(CLUSTERS_QUEUE, CLUSTER, 'nowait'))

interface Write {
  readonly id: string
  readonly fence: number
  readonly patch: SyncPatch
  readonly events: readonly ClusterEvent[]
}

const LOADED = `${CLUSTER_COLUMNS}, ${APPS_LEFT} ${FROM_CLUSTERS}`

const LOAD = `select ${LOADED} where c.id = any ($1::uuid[])`

const PAGE = `
  select ${LOADED} where ${IS_LEFT} and ($1::uuid is null or c.id > $1) order by c.id limit $2`

const LIVING = `select c.id ${FROM_CLUSTERS} where c.id = any ($1::uuid[]) and ${IS_LEFT}`

const KNOWN = 'select id from tenant.clusters where id = any ($1::uuid[])'

const ORGANIZATIONS =
  'select distinct organization_id as id from tenant.clusters where organization_id = any ($1::uuid[])'

const COUNT = `
  select (count(*) filter (where ${IS_LEFT}))::int as living, count(*)::int as "all" ${FROM_CLUSTERS}`

/** The rows of workers that are long gone go with it. */
const SEEN = `
  with gone as (delete from tenant.cluster_watch where seen < now() - interval '1 day' and instance <> $1)
  insert into tenant.cluster_watch (instance) values ($1) on conflict (instance) do update set seen = now()`

/** Rows for the worker; `pool` acts as `caelus_worker`. What is loaded or written at the same time shares a statement. */
export function clusterRows(pool: Pool): ClusterRows {
  const loads = new Batch(async (ids: readonly string[]) => {
    const rows = await pool.query<ClusterRow>(LOAD, [ids])
    const loaded = new Map(rows.map((row) => [row.id, loadedOf(row)]))
    return ids.map((id) => loaded.get(id))
  })
  const write = async (statement: string, all: readonly Write[]): Promise<boolean[]> => {
    const written = await pool.query<{ id: string }>(statement, [JSON.stringify(all)])
    const ids = new Set(written.map(({ id }) => id))
    return all.map(({ id }) => ids.has(id))
  }
  const writeAlone = async (one: Write): Promise<boolean> => (await write(WRITE, [one]))[0] ?? false
  const writes = new Batch(async (all: readonly Write[]) => {
    if (all.length === 1) return all.map(writeAlone)
    try {
      return await write(WRITE_TOGETHER, all)
    } catch (error) {
      // What cannot be written fails alone, and not those that happened to be written with it.
      if (isRefused(error)) return all.map(writeAlone)
      throw error
    }
  })
  const whichOf = async (statement: string, ids: readonly string[]): Promise<ReadonlySet<string>> => {
    const rows = await pool.query<{ id: string }>(statement, [ids.filter(isId)])
    return new Set(rows.map(({ id }) => id))
  }
  return {
    async load(id) {
      return isId(id) ? loads.add(id) : undefined
    },
    write: (id, fence, patch, events) => writes.add({ id, fence, patch, events }),
    async page(after, limit) {
      const rows = await pool.query<ClusterRow>(PAGE, [after ?? null, limit])
      return rows.map(loadedOf)
    },
    living: (ids) => whichOf(LIVING, ids),
    known: (ids) => whichOf(KNOWN, ids),
    organizations: (ids) => whichOf(ORGANIZATIONS, ids),
    async count() {
      const [row] = await pool.query<{ living: number; all: number }>(COUNT)
      return row ?? { living: 0, all: 0 }
    },
    async seen(instance) {
      await pool.query(SEEN, [instance])
    },
  }
}
