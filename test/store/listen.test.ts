import { expect, test } from 'vitest'
import { listener } from '../../src/store/index.ts'
import { proxyTo } from '../kube/watch/proxy.ts'
import { freshDatabase } from '../support/postgres.ts'

const KILL = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'ears' and datname = current_database()`

test('brings what is notified, to those who asked before and after it began', async () => {
  await using database = await freshDatabase()
  const heard: string[] = []
  const ears = listener({ url: database.url, applicationName: 'ears' })
  ears.subscribe('early', (payload = 'look') => void heard.push(`early ${payload}`))
  await ears.start()
  expect(heard).toEqual(['early look'])
  ears.subscribe('late', (payload = 'look') => void heard.push(`late ${payload}`))
  await expect.poll(() => heard).toContain('late look')
  await database.pool.query(`select pg_notify('late', 'b')`)
  await expect.poll(() => heard).toContain('late b')
  await database.pool.query(`select pg_notify('early', 'a')`)
  await expect.poll(() => heard).toContain('early a')
  await ears.stop()
  // The server ends a session a moment after its client is gone.
  const left = () =>
    database.pool.query(`select from pg_stat_activity where application_name = 'ears' and datname = current_database()`)
  await expect.poll(left).toEqual([])
})

test('stops at once while its connection is silent', async () => {
  await using database = await freshDatabase()
  await using proxy = await proxyTo(Number(new URL(database.url).port))
  const url = Object.assign(new URL(database.url), { host: `127.0.0.1:${proxy.port}` }).href
  const lost: unknown[] = []
  const ears = listener({ url, applicationName: 'ears', heartbeatMs: 300_000, onLost: (error) => lost.push(error) })
  await ears.start()
  proxy.swallow()
  await ears.stop()
  expect(lost).toEqual([])
})

test('listens again when its connection was killed, and says that something may have been missed', async () => {
  await using database = await freshDatabase()
  const heard: (string | undefined)[] = []
  const lost: unknown[] = []
  const ears = listener({ url: database.url, applicationName: 'ears', onLost: (error) => void lost.push(error) })
  ears.subscribe('things', (payload) => void heard.push(payload))
  await ears.start()
  heard.length = 0
  await database.pool.query(KILL)
  await expect.poll(() => heard).toEqual([undefined])
  await database.pool.query(`select pg_notify('things', 'after')`)
  await expect.poll(() => heard).toEqual([undefined, 'after'])
  expect(lost.length).toBeGreaterThan(0)
  await ears.stop()
})

test('can be stopped while it has never been able to connect', async () => {
  const lost = Promise.withResolvers<unknown>()
  const ears = listener({ url: 'postgres://nobody@127.0.0.1:1/none', applicationName: 'ears', onLost: lost.resolve })
  const started = ears.start()
  await lost.promise
  await ears.stop()
  await started
})
