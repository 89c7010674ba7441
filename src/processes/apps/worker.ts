import type { AppsControlPlane } from './control-plane.ts'
import type { StatusBoard } from '../../api/index.ts'
import { APPS } from '../../config/apps.ts'
import { SERVER, WORKERS, type Config } from '../../config/index.ts'
import { APPS_QUEUE, appsWorker, type AppsEvents } from '../../domains/apps/index.ts'
import { verifiedReleaseStore } from '../../domains/apps/store/index.ts'
import type { DecisionLog, Emitter, KernelEvents, Queue, Service } from '../../kernel/index.ts'
import type { WatchEvents } from '../../kube/index.ts'
import { helmReport } from './helm-report.ts'
import { instanceName } from '../shared/instance.ts'
import { lockNamespaceService } from '../shared/lock-namespace.ts'
import { openRowQueue, type PostgresQueue, type QueuePool } from '../../store/index.ts'
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
  /** Where the state of Helm is shown. @default the log only */
  readonly board?: StatusBoard
  /** Wraps the queue of the worker. */
  readonly through?: (queue: PostgresQueue, parts: { readonly pool: QueuePool }) => Queue
}

/** All services of an apps worker, to be started in this order. */
export function appsWorkerServices(options: WorkerOptions): readonly Service[] {
  const { config, databaseUrl, controlPlane, emitter, decisions, onError, through = (queue) => queue } = options
  const { parts, transport, pool } = controlPlane
  const workers = config.of(WORKERS)
  const rows = openRowQueue({
    url: databaseUrl,
    name: APPS_QUEUE,
    role: 'caelus_worker',
    leaseMs: workers.lease,
    keepHistory: true,
    onListenerLost: (error) => onError(error, 'Queue notifications interrupted'),
  })
  const verified = verifiedReleaseStore(pool)
  return [
    ...rows.services,
    helmReport({ version: controlPlane.helmVersion, onError, board: options.board }),
    lockNamespaceService({
      client: parts.client,
      clock: parts.clock,
      onError: (error) => onError(error, 'Namespace of locks not created'),
    }),
    ...appsWorker({
      ...parts,
      ...(controlPlane.clusters && { clusters: controlPlane.clusters }),
      transport,
      verified: options.isAfresh ? { ...verified, find: async () => undefined, kinds: async () => [] } : verified,
      queue: through(rows.queue, { pool: rows.pool }),
      random: Math.random,
      emitter,
      decisions,
      version: VERSION,
      instance: instanceName(),
      concurrency: options.concurrency ?? workers.concurrency,
      perTenant: workers.tenantShare,
      pollMs: options.pollMs ?? workers.poll,
      driftScanMs: config.of(APPS).driftInterval,
      stopGraceMs: config.of(SERVER).shutdownGrace,
    }),
  ]
}
