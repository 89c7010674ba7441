import { setTimeout as delay } from 'node:timers/promises'
import { listener, PostgresQueue } from '../../src/store/index.ts'
import { exerciseQueue, LEASE_MS } from '../conformance/queue.ts'
import { freshDatabase } from '../support/postgres.ts'

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
    pass: (ms) => delay(ms),
    async close() {
      queue.close()
      await hints.stop()
      await database[Symbol.asyncDispose]()
    },
  }
})
