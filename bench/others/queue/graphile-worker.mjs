import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import { Pool } from 'pg'
import { measureQueue } from '../../queue-contract.ts'

/* graphile-worker with the batching that its performance page recommends. */
const connectionString = process.env.DATABASE_URL
const pool = new Pool({ connectionString, max: 2 })
const logger = new Logger(() => () => {})
let utils
let runner

await measureQueue({
  notes: 'graphile-worker 0.18.0, concurrentJobs 24, localQueue 500, batched completion',
  async reset() {
    await pool.query('drop schema if exists graphile_worker cascade')
    utils = await makeWorkerUtils({ connectionString, preset: { worker: { logger } } })
    await utils.migrate()
  },
  async enqueueMany(n) {
    for (let at = 0; at < n; at += 5_000) {
      await utils.addJobs(Array.from({ length: Math.min(5_000, n - at) }, () => ({ identifier: 'noop', payload: {} })))
    }
    await pool.query('analyze')
  },
  enqueueOne: () => utils.addJob('noop', {}),
  async start(onJob) {
    runner = await run({
      taskList: { noop: async () => onJob() },
      noHandleSignals: true,
      preset: {
        worker: {
          connectionString,
          logger,
          concurrentJobs: 24,
          maxPoolSize: 25,
          localQueue: { size: 500 },
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
        },
      },
    })
  },
  remaining: async () => (await pool.query('select count(*)::int as n from graphile_worker.jobs')).rows[0].n,
  stop: () => runner.stop(),
})
