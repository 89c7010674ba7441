import { expect, test } from 'vitest'
import { failureOf, type Claim, type Key } from '../../src/kernel/index.ts'
import { asUser, inTx, listener, PostgresQueue, type QueuePool } from '../../src/store/index.ts'
import { freshDatabase } from '../support/postgres.ts'

const LEASE_MS = 60_000
const key = (id: string): Key => ({ kind: 'Thing', id })
const ids = (claims: readonly Claim[]): string[] => claims.map((claim) => claim.key.id)

async function world(wrap: (pool: QueuePool) => QueuePool = (pool) => pool) {
  const database = await freshDatabase()
  const queue = new PostgresQueue({ pool: wrap(database.openQueuePool()), name: 'things', leaseMs: LEASE_MS })
  return {
    database,
    queue,
    /** For transactions that the server must not end while the test waits. */
    patient: database.openPool({ idleInTransactionTimeoutMs: 60_000 }),
    leasesOf: async () =>
      new Map(
        (
          await database.pool.query<{ id: string; until: string }>(
            'select id, lease_until::text as until from caelus.job',
          )
        ).map(({ id, until }) => [id, until]),
      ),
    async [Symbol.asyncDispose]() {
      queue.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

test('a row that another transaction has locked does not keep other keys from being claimed', async () => {
  await using w = await world()
  for (const id of ['held', 'free']) await w.queue.wake(key(id), { reason: 'changed' })
  await inTx(w.patient, async (tx) => {
    await tx.query(`select from caelus.job where id = 'held' for update`)
    expect(ids(await w.queue.claim('w', 5))).toEqual(['free'])
  })
})

test('keys whose rows are locked are woken one after the other, so that claims and renewals find a connection', async () => {
  await using database = await freshDatabase()
  const pool = database.openQueuePool({ lockTimeoutMs: 100 })
  const queue = new PostgresQueue({ pool, name: 'things' })
  const keys = Array.from({ length: 6 }, (_, n) => key(`k${n}`))
  await Promise.all(keys.map((one) => queue.wake(one, { reason: 'drift' })))
  const inUse: number[] = []
  const refused = async (error: unknown): Promise<string> => {
    const { total, idle } = pool.stats()
    inUse.push(total - idle)
    return failureOf(error).code
  }
  await inTx(database.pool, async (tx) => {
    await tx.query('select from caelus.job for update')
    const wakes = keys.map((one) => queue.wake(one, { reason: 'changed' }).then(() => 'woken', refused))
    expect(await Promise.all(wakes)).toEqual(keys.map(() => 'DatabaseBusy'))
  })
  expect(Math.max(...inUse)).toBeLessThanOrEqual(1)
  queue.close()
})

test('a renewal reports a row that another transaction has locked, and extends the others', async () => {
  await using w = await world()
  for (const id of ['held', 'free']) await w.queue.wake(key(id), { reason: 'changed' })
  const claims = await w.queue.claim('w', 5)
  const before = await w.leasesOf()
  await inTx(w.patient, async (tx) => {
    await tx.query(`select from caelus.job where id = 'held' for update`)
    expect(await w.queue.renew(claims)).toEqual({
      gone: [],
      untouched: claims.filter((claim) => claim.key.id === 'held'),
    })
  })
  const after = await w.leasesOf()
  expect(after.get('held')).toBe(before.get('held'))
  expect(after.get('free')).not.toBe(before.get('free'))
  expect(await w.queue.renew(claims)).toEqual({ gone: [], untouched: [] })
})

test('a claim whose second statement fails returns the keys that the first one leased', async () => {
  let claimStatements = 0
  await using w = await world((pool) => ({
    ...pool,
    async query(text, values) {
      if (text.includes('update caelus.job j set') && text.includes('caelus.fence') && ++claimStatements === 2)
        throw new Error('connection terminated')
      return await pool.query(text, values)
    },
  }))
  for (let i = 0; i < 6; i++) await w.queue.wake(key(`a${i}`), { reason: 'changed', tenant: 'a' })
  await w.queue.wake(key('b0'), { reason: 'changed', tenant: 'b' })
  const claims = await w.queue.claim('w', 4, { perTenant: 2, running: new Map() })
  expect(claimStatements).toBe(2)
  expect(ids(claims).toSorted()).toEqual(['a0', 'a1', 'b0'])
  expect(await Promise.all(claims.map((claim) => w.queue.finish(claim, { then: 'forget' })))).toEqual([
    true,
    true,
    true,
  ])
})

test('a trigger wakes a key in the transaction of its change, by the rules of every wake', async () => {
  await using w = await world()
  const hints = listener({ url: w.database.url, applicationName: 'hints' })
  await hints.start()
  let hinted = 0
  hints.subscribe('caelus_queue', (queue) => void (queue === 'things' && hinted++))
  await w.database.pool.query('create table scratch (id text primary key, owner text)')
  await w.database.pool.query(`
    create function wake_scratch() returns trigger language plpgsql as $$
    begin
      perform caelus.wake('things', 'Thing', new.id, new.owner, 'changed', 0);
      return null;
    end $$`)
  await w.database.pool.query(
    'create trigger wake after insert or update on scratch for each row execute function wake_scratch()',
  )
  await w.database.pool.query('grant all on scratch to caelus_api')
  const api = w.database.openPool({ role: 'caelus_api' })
  const admin = { admin: true }
  const undone = asUser(api, admin, async (tx) => {
    await tx.query(`insert into scratch values ('undone', 'ann')`)
    throw new Error('rolled back')
  })
  await expect(undone).rejects.toThrow('rolled back')
  await w.queue.wake(key('a'), { reason: 'drift', afterMs: 60_000 })
  await expect.poll(() => hinted, { timeout: 30_000 }).toBe(1)
  await asUser(api, admin, async (tx) => {
    await tx.query(`insert into scratch values ('a', 'ann'), ('b', null)`)
    expect(await w.queue.claim('w', 5)).toEqual([])
    expect(hinted).toBe(1)
  })
  await expect.poll(() => hinted, { timeout: 30_000 }).toBe(2)
  const claims = await w.queue.claim('w', 5)
  expect(claims.toSorted((x, y) => (x.key.id < y.key.id ? -1 : 1))).toMatchObject([
    { key: key('a'), tenant: 'ann', reason: 'changed' },
    { key: key('b'), tenant: undefined, reason: 'changed' },
  ])
  await asUser(api, admin, (tx) => tx.query(`update scratch set owner = 'ben' where id = 'a'`))
  expect(await w.queue.claim('w', 5)).toEqual([])
  for (const claim of claims) await w.queue.finish(claim, { then: 'forget' })
  expect(await w.queue.claim('w', 5)).toMatchObject([{ key: key('a'), tenant: 'ben' }])
  await hints.stop()
})

test('a key that is woken for another tenant lines up behind the keys of its own', async () => {
  await using w = await world()
  await w.queue.wake(key('late'), { reason: 'childChanged', tenant: 'a', afterMs: 60_000 })
  for (const id of ['first', 'second']) await w.queue.wake(key(id), { reason: 'childChanged', tenant: 'a' })
  await w.queue.wake(key('late'), { reason: 'childChanged', tenant: 'b' })
  const claimed: string[] = []
  for (let i = 0; i < 3; i++) claimed.push(...ids(await w.queue.claim('w', 1)))
  expect(claimed).toEqual(['first', 'second', 'late'])
})

test('a failed key that a worker of the version before left as drift keeps its backoff', async () => {
  await using w = await world()
  await w.queue.wake(key('a'), { reason: 'drift' })
  const failure = { code: 'X', message: 'x', whoseMove: 'user', retryable: true, nextStep: 'x' } as const
  for (const claim of await w.queue.claim('w', 1))
    await w.queue.finish(claim, { then: 'retry', afterMs: 60_000, failure })
  await w.database.pool.query(`update caelus.job set reason = 'drift'`)
  await w.queue.wake(key('a'), { reason: 'drift' })
  expect(await w.queue.claim('w', 1)).toEqual([])
})

test('only the roles of the API and the workers may wake', async () => {
  await using w = await world()
  const mayWake = `select rolname from pg_roles
    where has_function_privilege(rolname, 'caelus.wake(text, text, text, text, caelus.wake_reason, float8)', 'execute')
      and not rolcanlogin and rolname like 'caelus%' order by 1`
  expect(await w.database.pool.query(mayWake)).toEqual([{ rolname: 'caelus_api' }, { rolname: 'caelus_worker' }])
})
