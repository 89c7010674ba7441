import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { measureController } from '../../bench/controller.ts'
import { echoLoad } from '../../bench/echo-load.ts'
import { freshDatabase } from '../support/postgres.ts'

/* The programs that other benchmark harnesses call, and their contract. */
const peer = (name: string): string => join(import.meta.dirname, '../../bench/peers', name)

test(
  'the controller converges, resyncs on a signal without a write, follows changes and ends when told',
  { timeout: 300_000 },
  async () => {
    const rows = await measureController(echoLoad, { name: 'caelus', command: [peer('controller')] }, 10)
    expect(rows.map(({ bench, n, notes }) => ({ bench, n, notes }))).toMatchObject([
      { bench: 'controller.cold', n: 10 },
      { bench: 'controller.resync', n: 10, notes: 'resync 10; 0 writes caused' },
      { bench: 'controller.change', n: 200 },
    ])
  },
)

test.each([
  ['throughput', '500'],
  ['latency', '5'],
])('the queue reports its %s as one line of JSON', async (mode, count) => {
  await using database = await freshDatabase()
  const env = { ...process.env, DATABASE_URL: database.url }
  const { stdout } = await promisify(execFile)(peer('queue'), [mode, count], { env, timeout: 90_000 })
  const report = JSON.parse(stdout)
  expect(report).toMatchObject({ seconds: expect.any(Number), cpuSeconds: expect.any(Number) })
  expect(report.latenciesMs?.length).toBe(mode === 'latency' ? Number(count) : undefined)
})
