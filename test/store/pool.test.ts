import { expect, onTestFinished, test } from 'vitest'
import { failureOf } from '../../src/kernel/index.ts'
import { inTx, openPool, type Pool } from '../../src/store/index.ts'
import { proxyTo, type Proxy } from '../kube/watch/proxy.ts'
import { freshDatabase } from '../support/postgres.ts'

const codeOf = async (promise: Promise<unknown>): Promise<string> =>
  await promise.then(
    () => 'succeeded',
    (error: unknown) => failureOf(error).code,
  )

/** A pool with `idle` connections open, all of them through one proxy. */
async function proxiedPool(
  idle: number,
): Promise<{ readonly pool: Pool; readonly proxy: Proxy; readonly url: string }> {
  const database = await freshDatabase()
  onTestFinished(() => database[Symbol.asyncDispose]())
  const proxy = await proxyTo(Number(new URL(database.url).port))
  onTestFinished(() => proxy[Symbol.asyncDispose]())
  const url = Object.assign(new URL(database.url), { host: `127.0.0.1:${proxy.port}` }).href
  const pool = openPool({ url, applicationName: 'proxied', acquireTimeoutMs: 30_000, queryTimeoutMs: 4_000 })
  onTestFinished(() => pool.end().catch(() => {}))
  const sessions = await Promise.all(Array.from({ length: idle }, () => pool.connect()))
  for (const session of sessions) session.release()
  expect(pool.stats()).toMatchObject({ total: idle, idle })
  return { pool, proxy, url }
}

test('one silent connection is enough to replace all that were opened before it', async () => {
  const { pool, proxy } = await proxiedPool(3)
  proxy.swallow()
  expect(await codeOf(pool.query('select 1'))).toBe('DatabaseUnavailable')
  expect(await codeOf(pool.query('select 1'))).toBe('succeeded')
  expect(pool.stats()).toMatchObject({ total: 1, idle: 1 })
})

test('a silent connection of one pool replaces those of all pools of the process', async () => {
  const { pool, proxy, url } = await proxiedPool(2)
  const patient = openPool({ url, applicationName: 'patient', acquireTimeoutMs: 30_000 })
  onTestFinished(() => patient.end())
  expect(await codeOf(patient.query('select 1'))).toBe('succeeded')
  proxy.swallow()
  expect(await codeOf(pool.query('select 1'))).toBe('DatabaseUnavailable')
  expect(await codeOf(patient.query('select 1'))).toBe('succeeded')
})

test('a transaction on a silent connection fails after one timeout and closes the connection', async () => {
  const { pool, proxy } = await proxiedPool(1)
  const sent: string[] = []
  const attempt = inTx(pool, async (tx) => {
    proxy.swallow()
    sent.push(await codeOf(tx.query('select 1')))
    const before = performance.now()
    sent.push(await codeOf(tx.query('select 2')))
    sent.push(performance.now() - before < 4_000 ? 'at once' : 'after another timeout')
    await tx.query('select 3')
  })
  expect(await codeOf(attempt)).toBe('DatabaseUnavailable')
  expect(sent).toEqual(['DatabaseUnavailable', 'DatabaseUnavailable', 'at once'])
  expect(pool.stats()).toMatchObject({ total: 0, idle: 0 })
  expect(await codeOf(pool.query('select 1'))).toBe('succeeded')
})

test('the end does not wait for a statement on a silent connection', async () => {
  const { pool, proxy } = await proxiedPool(1)
  const session = await pool.connect()
  proxy.swallow()
  const statement = codeOf(session.query('select 1'))
  expect(await Promise.race([pool.end().then(() => 'ended'), statement])).toBe('ended')
  expect(await statement).toBe('DatabaseUnavailable')
  session.release()
})

test('a statement that the server refuses leaves its connection in the pool', async () => {
  const { pool } = await proxiedPool(1)
  const [before] = await pool.query<{ pid: number }>('select pg_backend_pid() as pid')
  expect(await codeOf(pool.query('select 1 / 0'))).not.toBe('succeeded')
  expect(await pool.query('select pg_backend_pid() as pid')).toEqual([before])
})
