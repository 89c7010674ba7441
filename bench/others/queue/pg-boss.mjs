import { PgBoss } from 'pg-boss'
import { Pool } from 'pg'
import { measureQueue } from '../../queue-contract.ts'

/* pg-boss with batches, bursts and LISTEN/NOTIFY. */
const connectionString = process.env.DATABASE_URL
const pool = new Pool({ connectionString, max: 2 })
let boss

await measureQueue({
  notes: 'pg-boss 12.35.0, 4 workers x batch 100, burstWhenBatchFull, LISTEN/NOTIFY',
  async reset() {
    await pool.query('drop schema if exists pgboss cascade')
    boss = new PgBoss({ connectionString, max: 10, useListenNotify: true })
    boss.on('error', (error) => console.error(error))
    await boss.start()
    await boss.createQueue('noop', { notify: true })
  },
  async enqueueMany(n) {
    for (let at = 0; at < n; at += 5_000) {
      await boss.insert(
        'noop',
        Array.from({ length: Math.min(5_000, n - at) }, () => ({ data: {} })),
      )
    }
    await pool.query('analyze')
  },
  enqueueOne: () => boss.send('noop', {}),
  start: (onJob) =>
    boss.work(
      'noop',
      { localConcurrency: 4, batchSize: 100, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 },
      async (jobs) => jobs.forEach(onJob),
    ),
  remaining: async () =>
    (await pool.query("select count(*)::int as n from pgboss.job where name = 'noop' and state < 'completed'")).rows[0]
      .n,
  stop: () => boss.stop({ graceful: false }),
})
