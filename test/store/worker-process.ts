import { setTimeout as delay } from 'node:timers/promises'
import { controller, decisionLog, createEmitter, settled, type KernelEvents } from '../../src/kernel/index.ts'
import { openQueuePool, PostgresQueue } from '../../src/store/index.ts'

/*
 * A worker in a process of its own, so that a test can kill it. Writes a row for each run that it begins and that it ends.
 * After `most` ends, no run of it comes to an end any more.
 */

const [url = '', leaseMs = '1000', pollMs = '200', most = 'Infinity'] = process.argv.slice(2)
let ended = 0
const pool = openQueuePool({ url, applicationName: 'worker process' })
const queue = new PostgresQueue({ pool, name: 'chaos', leaseMs: Number(leaseMs) })
const note = (what: string, id: string, fence: number): Promise<unknown> =>
  pool.query('insert into run (what, id, fence, pid) values ($1, $2, $3, $4)', [what, id, fence, process.pid])

await controller({
  name: 'chaos',
  queue,
  emitter: createEmitter<KernelEvents>(),
  decisions: decisionLog(),
  concurrency: 5,
  pollMs: Number(pollMs),
  async reconcile({ key, fence }) {
    await note('begin', key.id, fence)
    await delay(100)
    if (++ended > Number(most)) await new Promise(() => {})
    await note('end', key.id, fence)
    return settled()
  },
}).start()
