import { setTimeout as delay } from 'node:timers/promises'
import { listener, PostgresQueue } from '../../src/store/index.ts'
import { exerciseQueue, LEASE_MS } from '../conformance/queue.ts'
import { freshDatabase } from '../support/postgres.ts'

/** The server's clock cannot be moved, but the times that it is compared with can. */
const PULL = `
  update caelus.job set due_at = due_at - $1 * interval '1 ms', lease_until = lease_until - $1 * interval '1 ms',
    again_at = again_at - $1 * interval '1 ms'`

/** Time for hints that were sent before to arrive. */
const MOMENT_MS = 50

exerciseQueue('PostgresQueue', async () => {
  const database = await freshDatabase()
  const hints = listener({ url: database.url, applicationName: 'hints' })
  const queue = new PostgresQueue({
    pool: database.openQueuePool(),
    name: 'things',
    listener: hints,
    leaseMs: LEASE_MS,
  })
  await hints.start()
  return {
    queue,
    async pass(ms) {
      await database.pool.query(PULL, [ms])
      await delay(Math.min(ms, MOMENT_MS))
    },
    async close() {
      queue.close()
      await hints.stop()
      await database[Symbol.asyncDispose]()
    },
  }
})
