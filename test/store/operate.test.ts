import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Claim, Failure, Key, WakeReason } from '../../src/kernel/index.ts'
import { priorityOf, WAKE_REASONS } from '../../src/kernel/index.ts'
import {
  asUser,
  failJob,
  freezeTenant,
  listJobs,
  PostgresQueue,
  prune,
  queueDepths,
  requeueJob,
  unfreezeTenant,
  type PostgresQueueOptions,
} from '../../src/store/index.ts'
import { freshDatabase, type TestDatabase } from '../support/postgres.ts'

const key = (id: string): Key => ({ kind: 'Thing', id })
const ids = (claims: readonly Claim[]): string[] => claims.map((claim) => claim.key.id)
const failure: Failure = {
  code: 'Broken',
  message: 'it broke',
  whoseMove: 'user',
  retryable: false,
  nextStep: 'mend it',
}

async function world(
  options: Partial<PostgresQueueOptions> = {},
): Promise<{ database: TestDatabase; queue: PostgresQueue } & AsyncDisposable> {
  const database = await freshDatabase()
  const queue = new PostgresQueue({ pool: database.openQueuePool(), name: 'things', ...options })
  return {
    database,
    queue,
    async [Symbol.asyncDispose]() {
      queue.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

test('operators see each key with its state, its age, who holds it, when it is tried and why it failed', async () => {
  await using w = await world()
  for (const id of ['delayed', 'parked', 'ready', 'running'])
    await w.queue.wake(key(id), { reason: 'created', tenant: 't' })
  for (const claim of await w.queue.claim('worker-1', 4)) {
    if (claim.key.id === 'delayed')
      await w.queue.finish(claim, { then: 'again', afterMs: 60_000, because: 'namespace is terminating' })
    if (claim.key.id === 'parked') await w.queue.finish(claim, { then: 'park', failure })
    if (claim.key.id === 'ready') await w.queue.finish(claim, { then: 'handBack' })
  }
  const jobs = await listJobs(w.database.pool, { queue: 'things', tenant: 't' })
  expect(jobs.map((job) => [job.key.id, job.state])).toEqual([
    ['delayed', 'delayed'],
    ['parked', 'parked'],
    ['ready', 'ready'],
    ['running', 'running'],
  ])
  const [delayed, parked, ready, running] = jobs
  expect(delayed).toMatchObject({ reason: 'retry', waitingFor: 'namespace is terminating', failure: undefined })
  expect(delayed?.nextTryMs).toBeGreaterThan(50_000)
  expect(parked).toMatchObject({ failure, nextTryMs: undefined })
  expect(ready).toMatchObject({ reason: 'created', lockedBy: undefined })
  expect(running).toMatchObject({ lockedBy: 'worker-1', nextTryMs: undefined, wokenAgain: false })
  expect(running?.leaseMs).toBeGreaterThan(10_000)
  expect(await queueDepths(w.database.pool)).toMatchObject([
    { queue: 'things', ready: 1, delayed: 1, running: 1, parked: 1 },
  ])
})

test('lists page by page, and by state', async () => {
  await using w = await world()
  await w.queue.wakeAll(
    Array.from({ length: 5 }, (_, i) => ({ key: key(`k${i}`), wake: { reason: 'drift' as const } })),
  )
  const first = await listJobs(w.database.pool, { limit: 3 })
  const last = first.at(-1)
  const rest = await listJobs(w.database.pool, { limit: 3, ...(last && { after: last }) })
  expect([...first, ...rest].map((job) => job.key.id)).toEqual(['k0', 'k1', 'k2', 'k3', 'k4'])
  expect(await listJobs(w.database.pool, { state: 'parked' })).toEqual([])
  expect(await listJobs(w.database.pool, { key: key('k3') })).toHaveLength(1)
})

test('a parked key that is requeued runs, with its attempts forgiven', async () => {
  await using w = await world()
  await w.queue.wake(key('a'), { reason: 'drift' })
  for (const claim of await w.queue.claim('w', 1)) await w.queue.finish(claim, { then: 'park', failure })
  expect(await requeueJob(w.database.pool, 'things', key('a'))).toBe(true)
  expect(await w.queue.claim('w', 1)).toMatchObject([{ key: key('a'), attempt: 0 }])
  expect(await requeueJob(w.database.pool, 'things', key('unknown'))).toBe(false)
})

test('a key that is requeued while it runs runs once more', async () => {
  await using w = await world()
  await w.queue.wake(key('a'), { reason: 'drift' })
  const [claim] = await w.queue.claim('w', 1)
  await requeueJob(w.database.pool, 'things', key('a'))
  expect(await w.queue.claim('w', 1)).toEqual([])
  expect(await w.queue.finish(claim!, { then: 'forget' })).toBe(true)
  expect(ids(await w.queue.claim('w', 1))).toEqual(['a'])
})

test('a key failed by hand stays parked, and the worker that ran it can no longer finish it', async () => {
  await using w = await world()
  await w.queue.wake(key('a'), { reason: 'created' })
  const [claim] = await w.queue.claim('w', 1)
  expect(await failJob(w.database.pool, 'things', key('a'), failure)).toBe(true)
  expect(await w.queue.renew([claim!])).toEqual({ gone: [claim], untouched: [] })
  expect(await w.queue.finish(claim!, { then: 'forget' })).toBe(false)
  expect(await listJobs(w.database.pool)).toMatchObject([{ state: 'parked', failure }])
})

test('keys of a frozen tenant wait, those of others do not', async () => {
  await using w = await world()
  await freezeTenant(w.database.pool, 'things', 'cold', 'ann', 'it deletes its own namespaces')
  await w.queue.wake(key('cold'), { reason: 'created', tenant: 'cold' })
  await w.queue.wake(key('warm'), { reason: 'created', tenant: 'warm' })
  expect(ids(await w.queue.claim('w', 2))).toEqual(['warm'])
  expect(await listJobs(w.database.pool, { tenant: 'cold' })).toMatchObject([{ frozen: true, state: 'ready' }])
  expect(await unfreezeTenant(w.database.pool, 'things', 'cold')).toBe(true)
  expect(ids(await w.queue.claim('w', 2))).toEqual(['cold'])
  expect(await unfreezeTenant(w.database.pool, 'things', 'cold')).toBe(false)
})

test('settled runs are kept as history if asked for, until they are pruned', async () => {
  await using w = await world({ keepHistory: true })
  await w.queue.wake(key('a'), { reason: 'changed', tenant: 't' })
  const [claim] = await w.queue.claim('worker-1', 1)
  await w.queue.finish(claim!, { then: 'forget' })
  const history = `select fence::int, id, tenant, reason, worker from caelus.job_history`
  expect(await w.database.pool.query(history)).toEqual([
    { fence: claim?.fence, id: 'a', tenant: 't', reason: 'changed', worker: 'worker-1' },
  ])
  expect(await prune(w.database.pool)).toBe(0)
  expect(await prune(w.database.pool, { historyMs: 0 })).toBe(1)
})

test('the table orders reasons and priorities as the kernel does', async () => {
  await using w = await world()
  const rows = await w.database.pool.query<{ reason: WakeReason; priority: number }>(
    `select reason, caelus.priority_of(reason) as priority from unnest(enum_range(null::caelus.wake_reason)) as reason order by reason`,
  )
  expect(rows).toEqual(WAKE_REASONS.map((reason) => ({ reason, priority: priorityOf(reason) })))
})

test('queues of different names know nothing of each other', async () => {
  await using w = await world()
  const other = new PostgresQueue({ pool: w.database.openQueuePool(), name: 'others' })
  await other.wake(key('a'), { reason: 'created' })
  expect(await w.queue.claim('w', 1)).toEqual([])
  expect(ids(await other.claim('w', 1))).toEqual(['a'])
  other.close()
})

test('the role of the API wakes a key, and the role of workers claims, renews and finishes it', async () => {
  await using w = await world()
  const worker = new PostgresQueue({
    pool: w.database.openQueuePool({ role: 'caelus_worker' }),
    name: 'things',
    keepHistory: true,
  })
  const ann = { userId: randomUUID(), admin: false }
  await asUser(w.database.openPool(), ann, (tx) =>
    w.queue.wakeIn(tx, { key: key('a'), wake: { reason: 'created', tenant: ann.userId } }),
  )
  const [claim] = await worker.claim('w', 1)
  expect(await worker.renew([claim!])).toEqual({ gone: [], untouched: [] })
  expect(await worker.finish(claim!, { then: 'retry', afterMs: 0, failure })).toBe(true)
  const [again] = await worker.claim('w', 1)
  expect(await worker.finish(again!, { then: 'forget' })).toBe(true)
  worker.close()
})

test('claims go by the index even under a plan that was made while the table was empty', async () => {
  await using w = await world()
  const pool = w.database.openQueuePool({ max: 1 })
  const queue = new PostgresQueue({ pool, name: 'things' })
  await w.database.pool.query('vacuum analyze caelus.job')
  for (let i = 0; i < 8; i++) await queue.claim('w', 10)
  await w.queue.wakeAll(
    Array.from({ length: 2_000 }, (_, i) => ({ key: key(`k${i}`), wake: { reason: 'drift' as const } })),
  )
  const read = async (): Promise<number> => {
    await pool.query('select pg_stat_force_next_flush()')
    await pool.query('select pg_stat_clear_snapshot()')
    const [row] = await pool.query<{ n: string }>(
      `select seq_tup_read as n from pg_stat_user_tables where relid = 'caelus.job'::regclass`,
    )
    return Number(row?.n)
  }
  const before = await read()
  expect(await queue.claim('w', 10)).toHaveLength(10)
  expect((await read()) - before).toBe(0)
  queue.close()
})
