import { openClusters, type ClusterApps, type Clusters } from '../../domains/clusters/usecases/index.ts'
import { CLUSTERS_QUEUE } from '../../domains/clusters/index.ts'
import { systemClock } from '../../kernel/index.ts'
import { openQueuePool, PostgresQueue, type Pool } from '../../store/index.ts'

export interface ClustersUseCases {
  readonly clusters: Clusters
  close(): Promise<void>
}

/** `pool` acts as caelus_api. */
export function openClustersUseCases(databaseUrl: string, pool: Pool, apps: ClusterApps): ClustersUseCases {
  const queuePool = openQueuePool({
    url: databaseUrl,
    applicationName: 'caelus api clusters queue',
    role: 'caelus_api',
    max: 2,
  })
  const queue = new PostgresQueue({ pool: queuePool, name: CLUSTERS_QUEUE })
  return {
    clusters: openClusters({ pool, queue, apps, clock: systemClock }),
    async close() {
      queue.close()
      await queuePool.end()
    },
  }
}
