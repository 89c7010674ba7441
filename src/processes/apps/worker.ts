import { instanceName, type AppsControlPlane } from './control-plane.ts'
import { APPS_QUEUE } from './usecases.ts'
import type { StatusBoard } from '../../api/index.ts'
import type { Config } from '../../config/index.ts'
import { appsWorker, type AppsEvents } from '../../domains/apps/index.ts'
import { verifiedReleaseStore } from '../../domains/apps/store/index.ts'
import {
  service,
  type DecisionLog,
  type Emitter,
  type KernelEvents,
  type Queue,
  type Service,
} from '../../kernel/index.ts'
import type { WatchEvents } from '../../kube/index.ts'
import { helmReport } from './helm-report.ts'
import { aborted } from '../shared/stop-signal.ts'
import { decisionStore, listener, openQueuePool, PostgresQueue, retention } from '../../store/index.ts'
import { VERSION } from '../../version.ts'

export interface WorkerOptions {
  readonly config: Config
  readonly databaseUrl: string
  readonly controlPlane: AppsControlPlane
  readonly emitter: Emitter<KernelEvents & WatchEvents & AppsEvents>
  readonly decisions: DecisionLog
  readonly onError: (error: unknown, what: string) => void
  readonly concurrency?: number
  readonly pollMs?: number
  /** Ignore the verified releases of earlier workers and observe everything. @default false */
  readonly isAfresh?: boolean
  /** Where the state of Helm is shown. @default nowhere: it is logged */
  readonly board?: StatusBoard
  /** Puts something between the worker and its queue. */
  readonly through?: (queue: PostgresQueue, parts: { readonly pool: ReturnType<typeof openQueuePool> }) => Queue
}

/** Everything that a worker of apps runs, to be started in this order. */
export function appsWorkerServices(options: WorkerOptions): readonly Service[] {
  const { config, databaseUrl, controlPlane, emitter, decisions, onError, through = (queue) => queue } = options
  const { parts, transport, pool, home } = controlPlane
  const queuePool = openQueuePool({
    url: databaseUrl,
    applicationName: 'caelus worker queue',
    role: 'caelus_worker',
    leaseMs: config.workerLease,
  })
  const hints = listener({
    url: databaseUrl,
    applicationName: 'caelus worker hints',
    onLost: (error) => onError(error, 'Hints of the queue lost'),
  })
  const queue = new PostgresQueue({
    pool: queuePool,
    name: APPS_QUEUE,
    listener: hints,
    leaseMs: config.workerLease,
    keepHistory: true,
  })
  const keep = decisionStore({ pool, onDropped: (_, error) => onError(error, 'Decision not kept') })
  const verified = verifiedReleaseStore(pool)
  return [
    closing('apps queue', async () => {
      queue.close()
      await queuePool.end()
    }),
    following('apps decisions', () =>
      decisions.onAdd((record) => {
        if (record.controller === 'apps') keep(record)
      }),
    ),
    helmReport({ version: controlPlane.helmVersion, onError, board: options.board }),
    retention({ pool, onError: (error) => onError(error, 'Old rows not removed') }),
    hints,
    home,
    ...appsWorker({
      ...parts,
      transport,
      verified: options.isAfresh ? { ...verified, find: async () => undefined, kinds: async () => [] } : verified,
      queue: through(queue, { pool: queuePool }),
      random: Math.random,
      emitter,
      decisions,
      version: VERSION,
      instance: instanceName(),
      concurrency: options.concurrency ?? config.concurrency,
      perTenant: config.tenantShare,
      pollMs: options.pollMs ?? config.workerPoll,
      driftScanMs: config.driftInterval,
    }),
  ]
}

/** Does something when all that was started after it has stopped. */
const closing = (name: string, close: () => Promise<void>): Service =>
  service(name, async (signal, ready) => {
    ready()
    await aborted(signal)
    await close()
  })

/** Listens for as long as it runs. */
const following = (name: string, listen: () => () => void): Service =>
  service(name, async (signal, ready) => {
    const stop = listen()
    ready()
    await aborted(signal)
    stop()
  })
