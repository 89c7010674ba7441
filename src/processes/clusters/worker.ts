import { CLUSTERS, type ClusterWorkerConfig } from '../../config/clusters.ts'
import { WORKERS, type Config } from '../../config/index.ts'
import { CLUSTERS_QUEUE, clustersWorker } from '../../domains/clusters/index.ts'
import { clusterRows } from '../../domains/clusters/store/index.ts'
import { atEnd, systemClock, type Service } from '../../kernel/index.ts'
import { openPool, openRowQueue, type Listener, type Pool } from '../../store/index.ts'
import type { ProcessHost } from '../domain.ts'
import { instanceName } from '../shared/instance.ts'
import { clustersEvents } from './events.ts'
import type { OpenedGardener } from './gardener.ts'
import { gardenerSettings, workerPace } from './settings.ts'

export interface ClustersWorkerOptions {
  readonly host: Pick<ProcessHost, 'emitter' | 'decisions' | 'onError'> & { readonly config: Config }
  /** With the login of workers. */
  readonly databaseUrl: string
  readonly opened: OpenedGardener
  readonly own: ClusterWorkerConfig
  readonly concurrency?: number | undefined
}

export interface ClustersWorker {
  /** To be started in this order. */
  readonly services: readonly Service[]
  /** As the role caelus_worker. */
  readonly pool: Pool
  readonly hints: Pick<Listener, 'isListening'>
}

export function openClustersWorker(options: ClustersWorkerOptions): ClustersWorker {
  const { host, databaseUrl, opened, own } = options
  const { config, emitter, decisions, onError } = host
  const workers = config.of(WORKERS)
  const concurrency = options.concurrency ?? workers.concurrency
  const pool = openPool({ url: databaseUrl, applicationName: 'caelus clusters worker', role: 'caelus_worker' })
  const rows = openRowQueue({
    url: databaseUrl,
    name: CLUSTERS_QUEUE,
    role: 'caelus_worker',
    leaseMs: workers.lease,
    onListenerLost: (error) => onError(error, 'Queue notifications interrupted'),
  })
  const services = [
    atEnd('connections of the clusters worker', () => pool.end()),
    ...rows.services,
    ...opened.services,
    ...clustersWorker({
      gardener: opened.gardener,
      settings: gardenerSettings(config.of(CLUSTERS)),
      queue: rows.queue,
      rows: clusterRows(pool),
      clock: systemClock,
      random: Math.random,
      emitter: clustersEvents(emitter),
      decisions,
      instance: instanceName(),
      concurrency,
      perTenant: Math.min(workers.tenantShare, concurrency),
      stopGraceMs: own.shutdownTimeout,
      ...workerPace(own, config.of(CLUSTERS), workers.poll),
    }),
  ]
  return { services, pool, hints: rows.hints }
}
