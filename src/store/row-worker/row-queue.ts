import { atEnd, type Service } from '../../kernel/index.ts'
import { listener, type Listener } from '../listen.ts'
import { openQueuePool, type QueuePool } from '../queue/pool.ts'
import { PostgresQueue } from '../queue/postgres-queue.ts'

export interface RowQueueOptions {
  readonly url: string
  /** The name of the queue; also in the names of its connections. */
  readonly name: string
  readonly role: string
  /** @default 20_000 */
  readonly leaseMs?: number
  /** Keep a row of history per settled run. @default false */
  readonly keepHistory?: boolean
  /** Called when the connection that receives hints is lost; polling continues. */
  readonly onListenerLost: (error: unknown) => void
}

export interface RowQueue {
  readonly queue: PostgresQueue
  readonly pool: QueuePool
  readonly hints: Pick<Listener, 'isListening'>
  /** Start them before the worker, so that they are stopped after it. */
  readonly services: readonly Service[]
}

/** The durable queue with connections of its own: a pool, and one that listens for hints. */
export function openRowQueue(options: RowQueueOptions): RowQueue {
  const { url, name, role, leaseMs = 20_000, keepHistory = false, onListenerLost } = options
  const pool = openQueuePool({ url, applicationName: `caelus ${name} queue`, role, leaseMs })
  const hints = listener({ url, applicationName: `caelus ${name} hints`, onLost: onListenerLost })
  const queue = new PostgresQueue({ pool, name, listener: hints, leaseMs, keepHistory })
  const closing = atEnd(`queue of ${name}`, async () => {
    queue.close()
    await pool.end()
  })
  return { queue, pool, hints, services: [closing, hints] }
}
