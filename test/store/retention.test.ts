import { expect, test } from 'vitest'
import { AS_PLATFORM, inTx, pruneAlone, retention } from '../../src/store/index.ts'
import { freshDatabase, type TestDatabase } from '../support/postgres.ts'

const DAY = 86_400_000

/** One row of each table for 1, 2 and 3 days ago. */
const ROWS = [
  `insert into caelus.decision (controller, kind, key_id, at, input, decision)
   select 'apps', 'Deployment', 'd1', now() - n * interval '1 day', '{}', '{}' from generate_series(1, 3) n`,
  `insert into caelus.job_history (fence, number, queue, kind, id, tenant, reason, attempt, worker, woken_at, claimed_at, finished_at)
   select n, n, 'apps', 'Deployment', 'd1', 't', 'created', 0, 'w', now(), now(), now() - n * interval '1 day'
   from generate_series(1, 3) n`,
  `with owner as (insert into caelus.user (email) values ('a@example.org') returning id)
   insert into caelus.idempotency_key (user_id, key, request_sha256, created_at)
   select id, n::text, '', now() - n * interval '1 day' from owner, generate_series(1, 3) n`,
  `with owner as (insert into tenant.organizations (name) values ('shop') returning id)
   insert into tenant.clusters (organization_id, name, region, kubernetes_version) select id, 'c', 'r', '1.34' from owner`,
  `update tenant.cluster_events set created = now() - interval '1 day'`,
  `insert into tenant.cluster_events (cluster_id, organization_id, event_type, actor, created)
   select cluster_id, organization_id, 'sync_claimed', 'w', now() - n * interval '1 day'
   from tenant.cluster_sync, generate_series(2, 3) n`,
]

async function filledDatabase(): Promise<TestDatabase> {
  const database = await freshDatabase()
  for (const rows of ROWS) await database.pool.query(rows)
  return database
}

const countsIn = async ({ pool }: TestDatabase): Promise<unknown> =>
  (
    await pool.query(
      `select (select count(*)::int from caelus.decision) as decisions,
         (select count(*)::int from caelus.job_history) as history,
         (select count(*)::int from caelus.idempotency_key) as keys,
         (select count(*)::int from tenant.cluster_events) as events`,
    )
  )[0]

test('every table loses the rows older than its configured age, and no others', async () => {
  await using database = await filledDatabase()
  expect(await countsIn(database)).toEqual({ decisions: 3, history: 3, keys: 3, events: 3 })
  const keep = { decisionsMs: 2.5 * DAY, historyMs: 1.5 * DAY, idempotencyMs: 0.5 * DAY, clusterEventsMs: 1.5 * DAY }
  const running = retention({ pool: database.openPool({ role: 'caelus_worker' }), keep })
  await running.start()
  await expect.poll(() => countsIn(database)).toEqual({ decisions: 2, history: 1, keys: 0, events: 1 })
  await running.stop()
})

test('the API deletes old responses, and nothing else', async () => {
  await using database = await filledDatabase()
  const pool = database.openPool({ role: 'caelus_api', settings: AS_PLATFORM })
  const keep = { decisionsMs: 0, historyMs: 0, idempotencyMs: 1.5 * DAY, clusterEventsMs: 0 }
  expect(await pruneAlone(pool, keep, 'caelus_api')).toBe(2)
  expect(await countsIn(database)).toEqual({ decisions: 3, history: 3, keys: 1, events: 3 })
})

test('one session prunes at a time, and the lock is free afterwards', async () => {
  await using database = await filledDatabase()
  const one = database.openPool({ role: 'caelus_worker' })
  const other = database.openPool({ role: 'caelus_worker' })
  const keep = { historyMs: 0, decisionsMs: 10 * DAY, idempotencyMs: 10 * DAY }
  const waiting = `select from pg_stat_activity
    where wait_event_type = 'Lock' and query like 'delete from caelus.job_history%' and datname = current_database()`
  // The locked rows keep the first pruning under way until the transaction ends.
  const { first } = await inTx(database.pool, async (tx) => {
    await tx.query('select from caelus.job_history for update')
    const begun = pruneAlone(one, keep)
    begun.catch(() => {})
    await expect.poll(() => database.pool.query(waiting)).toHaveLength(1)
    expect(await pruneAlone(other, keep)).toBeUndefined()
    return { first: begun }
  })
  expect(await first).toBe(3)
  expect(await pruneAlone(other, keep)).toBe(0)
})
