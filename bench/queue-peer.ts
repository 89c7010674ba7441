import { Client } from 'pg'
import {
  controller,
  decisionLog,
  createEmitter,
  settled,
  type KernelEvents,
  type Service,
} from '../src/kernel/index.ts'
import { listener, migrate, openQueuePool, PostgresQueue } from '../src/store/index.ts'
import { measureQueue } from './queue-contract.ts'

/*
 * Our loop and queue with leases, fences and one run per key at a time. Producer and worker share only the database:
 * hints travel by NOTIFY.
 */
const url = process.env['DATABASE_URL'] ?? ''
const CONCURRENCY = 1000
const CLAIM_AT_MOST = 250

const admin = new Client({ connectionString: url })
await admin.connect()
const enqueuing = openQueuePool({ url, applicationName: 'bench enqueue', max: 2 })
const working = openQueuePool({ url, applicationName: 'bench worker', max: 4 })
const hints = listener({ url, applicationName: 'bench listener' })
const outside = new PostgresQueue({ pool: enqueuing, name: 'bench' })
const queue = new PostgresQueue({ pool: working, name: 'bench', listener: hints })
const keyOf = (i: number) => ({ key: { kind: 'Noop', id: `k${i}` }, wake: { reason: 'created' as const } })
let loop: Service | undefined

await measureQueue({
  notes: `caelus, concurrency ${CONCURRENCY}, ${CLAIM_AT_MOST} per claim, lease 20 s, fenced, one run per key`,
  async reset() {
    await admin.query('drop schema if exists caelus, tenant cascade')
    await migrate(url)
    await hints.start()
  },
  async enqueueMany(n) {
    for (let at = 0; at < n; at += 5_000) {
      await outside.wakeAll(Array.from({ length: Math.min(5_000, n - at) }, (_, i) => keyOf(at + i)))
    }
    await admin.query('analyze')
  },
  async enqueueOne(i) {
    const { key, wake } = keyOf(i)
    await outside.wake(key, wake)
  },
  async start(onJob) {
    loop = controller({
      name: 'bench',
      queue,
      emitter: createEmitter<KernelEvents>(),
      decisions: decisionLog(),
      concurrency: CONCURRENCY,
      claimAtMost: CLAIM_AT_MOST,
      reconcile: async () => {
        onJob()
        return settled()
      },
    })
    await loop.start()
  },
  async remaining() {
    const { rows } = await admin.query<{ n: number }>('select count(*)::int as n from caelus.job')
    return rows[0]?.n ?? 0
  },
  async stop() {
    await loop?.stop()
    queue.close()
    await hints.stop()
    await Promise.all([enqueuing.end(), working.end(), admin.end()])
  },
})
