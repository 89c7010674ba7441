import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { failureOf } from '../../src/kernel/index.ts'
import { insideTransaction, inTx, PostgresQueue, type Pool } from '../../src/store/index.ts'
import { freshDatabase } from '../support/postgres.ts'

const codeOf = async (promise: Promise<unknown>): Promise<string> =>
  await promise.then(
    () => 'succeeded',
    (error: unknown) => failureOf(error).code,
  )

const countUsers = async (pool: Pool): Promise<number> =>
  (await pool.query<{ n: number }>('select count(*)::int as n from caelus.user'))[0]?.n ?? -1

const addUser = `insert into caelus.user (email) values ($1)`

test('a transaction that throws is rolled back, and its afterCommit is not called', async () => {
  await using database = await freshDatabase()
  let told = false
  const attempt = inTx(database.pool, async (tx) => {
    await tx.query(addUser, ['a@example.org'])
    tx.afterCommit(() => void (told = true))
    throw new Error('changed my mind')
  })
  await expect(attempt).rejects.toThrow('changed my mind')
  expect([await countUsers(database.pool), told]).toEqual([0, false])
})

test('a change and its wake commit together', async () => {
  await using database = await freshDatabase()
  const queue = new PostgresQueue({ pool: database.openQueuePool(), name: 'users' })
  const key = { kind: 'User', id: 'a' }
  const change = (fail: boolean): Promise<void> =>
    inTx(database.pool, async (tx) => {
      await tx.query(addUser, ['a@example.org'])
      await queue.wakeIn(tx, { key, wake: { reason: 'created' } })
      expect(await queue.claim('w', 1)).toEqual([])
      if (fail) throw new Error('no')
    })
  await expect(change(true)).rejects.toThrow('no')
  expect(await queue.claim('w', 1)).toEqual([])
  await change(false)
  expect(await queue.claim('w', 1)).toMatchObject([{ key, reason: 'created' }])
  queue.close()
})

test('transactions that got into each other’s way are tried again until all have succeeded', async () => {
  await using database = await freshDatabase()
  await database.pool.query(addUser, ['a@example.org'])
  let runs = 0
  const together = Promise.withResolvers<void>()
  const promote = (): Promise<void> =>
    inTx(
      database.pool,
      async (tx) => {
        const admins = await tx.query(`select from caelus.user where is_admin`)
        if (++runs === 2) together.resolve()
        await together.promise
        await tx.query(addUser, [`${admins.length}-${runs}@example.org`])
        await tx.query(`update caelus.user set is_admin = not is_admin where email = 'a@example.org'`)
      },
      { isolation: 'serializable' },
    )
  await Promise.all([promote(), promote()])
  expect(runs).toBeGreaterThan(2)
  expect(await countUsers(database.pool)).toBe(3)
})

test('code can tell that it runs inside a transaction, also after an await', async () => {
  await using database = await freshDatabase()
  const seen = await inTx(database.pool, async () => {
    await delay(1)
    return insideTransaction()
  })
  expect([seen, insideTransaction()]).toEqual([true, false])
})

test('waiting too long for a connection fails with DatabaseBusy', async () => {
  await using database = await freshDatabase()
  const pool = database.openPool({ max: 1, acquireTimeoutMs: 3_000 })
  const held = await pool.connect()
  expect(await codeOf(pool.query('select 1'))).toBe('DatabaseBusy')
  held.release()
  expect(await codeOf(pool.query('select 1'))).toBe('succeeded')
})

test('a connection killed under a transaction is reported as unavailable, and the next one works', async () => {
  await using database = await freshDatabase()
  const attempt = inTx(database.pool, async (tx) => {
    await tx.query(addUser, ['a@example.org'])
    const [me] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid')
    await database.pool.query('select pg_terminate_backend($1)', [me?.pid])
    await tx.query('select 1')
  })
  expect(await codeOf(attempt)).toBe('DatabaseUnavailable')
  expect(await countUsers(database.pool)).toBe(0)
})

test('waiting too long for a row lock fails with DatabaseBusy', async () => {
  await using database = await freshDatabase()
  const hasty = database.openPool({ lockTimeoutMs: 50 })
  await database.pool.query(addUser, ['a@example.org'])
  await inTx(database.pool, async (tx) => {
    await tx.query('select from caelus.user for update')
    expect(await codeOf(hasty.query('delete from caelus.user'))).toBe('DatabaseBusy')
  })
})

test('the server ends a session that leaves a transaction open', async () => {
  await using database = await freshDatabase()
  const pool = database.openPool({ idleInTransactionTimeoutMs: 50 })
  const attempt = inTx(pool, async (tx) => {
    await tx.query(addUser, ['a@example.org'])
    await delay(200)
  })
  expect(await codeOf(attempt)).toBe('DatabaseUnavailable')
})
