import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { controller, decisionLog, happenings, settled, type KernelHappenings } from '../src/kernel/index.ts'
import { listener, migrate, openQueuePool, PostgresQueue } from '../src/store/index.ts'

/*
 * Our loop and our queue as a peer of the queue benchmark: leases, fences, one run per key at a time, all on.
 * Called as `queue throughput|latency <n>` with DATABASE_URL; prints one line of JSON.
 *
 * The one who enqueues and the one who works have nothing in common but the database: hints travel by NOTIFY.
 */
const url = process.env['DATABASE_URL'] ?? ''
const [mode = 'throughput', count = '20000'] = process.argv.slice(2)
const n = Number(count)
const CONCURRENCY = 1000
const CLAIM_AT_MOST = 250

const admin = new Client({ connectionString: url })
await admin.connect()
await admin.query('drop schema if exists caelus cascade')
await migrate(url)

const hints = listener({ url, applicationName: 'bench listener' })
await hints.start()
const enqueuing = openQueuePool({ url, applicationName: 'bench enqueue', max: 2 })
const outside = new PostgresQueue({ pool: enqueuing, name: 'bench' })
const working = openQueuePool({ url, applicationName: 'bench worker', max: 4 })
const queue = new PostgresQueue({ pool: working, name: 'bench', listener: hints })

let onJob = (): void => {}
const loop = controller({
  name: 'bench',
  queue,
  happenings: happenings<KernelHappenings>(),
  decisions: decisionLog(),
  concurrency: CONCURRENCY,
  claimAtMost: CLAIM_AT_MOST,
  reconcile: async () => {
    onJob()
    return settled()
  },
})

const keyOf = (i: number) => ({ key: { kind: 'Noop', id: `k${i}` }, wake: { reason: 'created' as const } })
const remaining = async (): Promise<number> =>
  (await admin.query<{ n: number }>('select count(*)::int as n from caelus.job')).rows[0]?.n ?? 0

async function throughput(): Promise<{ seconds: number }> {
  for (let at = 0; at < n; at += 5000) {
    await outside.wakeAll(Array.from({ length: Math.min(5000, n - at) }, (_, i) => keyOf(at + i)))
  }
  await admin.query('analyze')
  const drained = Promise.withResolvers<void>()
  let done = 0
  onJob = () => void (++done === n && drained.resolve())
  cpuFrom = process.cpuUsage()
  const from = performance.now()
  await loop.start()
  await drained.promise
  while ((await remaining()) > 0) await delay(2)
  return { seconds: (performance.now() - from) / 1000 }
}

async function latency(): Promise<{ seconds: number; latenciesMs: number[] }> {
  const latenciesMs: number[] = []
  await loop.start()
  await delay(1500)
  cpuFrom = process.cpuUsage()
  const from = performance.now()
  for (let i = 0; i < n; i++) {
    const begun = Promise.withResolvers<void>()
    onJob = begun.resolve
    const at = performance.now()
    const { key, wake } = keyOf(i)
    await outside.wake(key, wake)
    await begun.promise
    latenciesMs.push(performance.now() - at)
    await delay(20 + Math.random() * 20)
  }
  return { seconds: (performance.now() - from) / 1000, latenciesMs }
}

let cpuFrom = process.cpuUsage()
const result = mode === 'latency' ? await latency() : await throughput()
const cpu = process.cpuUsage(cpuFrom)
console.log(
  JSON.stringify({
    ...result,
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
    rssMiB: process.resourceUsage().maxRSS / 1024,
    notes: `caelus, concurrency ${CONCURRENCY}, ${CLAIM_AT_MOST} per claim, lease 20 s, fenced, one run per key`,
  }),
)
await loop.stop()
queue.close()
await hints.stop()
await Promise.all([enqueuing.end(), working.end(), admin.end()])
