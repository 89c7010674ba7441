import { setTimeout as delay } from 'node:timers/promises'

/** A queue under measurement: one process that enqueues, works and reports. */
export interface QueuePeer {
  /** Drops and creates the queue's schema. */
  reset(): Promise<void>
  /** Stores n no-op jobs in as few statements as the queue allows. */
  enqueueMany(n: number): Promise<void>
  enqueueOne(i: number): Promise<void>
  /** Starts the worker; `onJob` is called at the start of every job. */
  start(onJob: () => void): Promise<void>
  /** Jobs not yet recorded as done. */
  remaining(): Promise<number>
  stop(): Promise<void>
  readonly notes: string
}

/**
 * Called as `<peer> throughput|latency <n>` with DATABASE_URL; prints one line of JSON.
 *
 * - throughput: n jobs are stored first; time runs from the start of the worker until every job has run and the table says so.
 * - latency: the worker is idle; n single jobs one after another, from before the enqueue call to the start of the handler.
 */
export async function measureQueue(peer: QueuePeer): Promise<void> {
  const [mode = 'throughput', count = '20000'] = process.argv.slice(2)
  await peer.reset()
  const { cpuFrom, ...result } = await (mode === 'latency'
    ? latency(peer, Number(count))
    : throughput(peer, Number(count)))
  const cpu = process.cpuUsage(cpuFrom)
  const measured = {
    ...result,
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
    rssMiB: process.resourceUsage().maxRSS / 1024,
    notes: peer.notes,
  }
  console.log(JSON.stringify(measured))
  await peer.stop()
  process.exit(0)
}

interface Measured {
  readonly seconds: number
  readonly latenciesMs?: readonly number[]
  readonly cpuFrom: NodeJS.CpuUsage
}

async function throughput(peer: QueuePeer, n: number): Promise<Measured> {
  await peer.enqueueMany(n)
  const drained = Promise.withResolvers<void>()
  let done = 0
  const cpuFrom = process.cpuUsage()
  const from = performance.now()
  await peer.start(() => void (++done === n && drained.resolve()))
  await drained.promise
  while ((await peer.remaining()) > 0) await delay(2)
  return { seconds: (performance.now() - from) / 1000, cpuFrom }
}

async function latency(peer: QueuePeer, n: number): Promise<Measured> {
  const latenciesMs: number[] = []
  let begun = Promise.withResolvers<void>()
  await peer.start(() => begun.resolve())
  await delay(1_500)
  const cpuFrom = process.cpuUsage()
  const from = performance.now()
  for (let i = 0; i < n; i++) {
    begun = Promise.withResolvers()
    const at = performance.now()
    await peer.enqueueOne(i)
    await begun.promise
    latenciesMs.push(performance.now() - at)
    await delay(20 + Math.random() * 20) // idle again, out of step with any poll
  }
  return { seconds: (performance.now() - from) / 1000, latenciesMs, cpuFrom }
}
