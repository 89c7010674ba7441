import { clustersChanges, clustersRoutes } from '../../api/routes/clusters/index.ts'
import { CLUSTERS } from '../../config/clusters.ts'
import { decisionText, replays } from '../../domains/clusters/index.ts'
import { lateGardener, withoutShoots } from '../../domains/clusters/gardener/index.ts'
import { clusterDirectory, clustersUsage } from '../../domains/clusters/store/index.ts'
import { openInsight } from '../../domains/clusters/usecases/index.ts'
import { atEnd, messageOf, systemClock } from '../../kernel/index.ts'
import type { ApiHost, DomainProcess, ServedDomain } from '../domain.ts'
import { accessOfApi } from './access.ts'
import { clustersEvents } from './events.ts'
import { apiFigures, type ReadFigures } from './figures.ts'
import { gardenerReport } from './gardener-report.ts'
import { openConfigured } from './gardener.ts'
import { logClusters } from './log.ts'
import { clustersMetrics } from './metrics.ts'
import { COUNT_CLUSTERS } from './report.ts'
import { rowsReport } from '../shared/rows-report.ts'
import { gardenerSettings } from './settings.ts'
import { upClusters } from './up.ts'
import { openClustersUseCases } from './usecases.ts'

export interface ClustersProcess extends DomainProcess {
  /** Says where the gauges come from. */
  measure(read: ReadFigures): void
}

export function clustersProcess(): ClustersProcess {
  let read: ReadFigures = async () => Promise.reject(new Error('nothing is counted yet'))

  const serve = (host: ApiHost): ServedDomain => {
    const { config, databaseUrl, pool, notices, board, seams } = host
    const useCases = openClustersUseCases(databaseUrl, pool, seams.apps)
    const report = rowsReport({ name: 'clusters', count: COUNT_CLUSTERS, pool, notices, board })
    const late = lateGardener(config.of(CLUSTERS).mode)
    read = apiFigures(pool)
    seams.offerClusters({ directory: clusterDirectory, access: accessOfApi(pool, late.gardener) })
    const gardens = gardenerReport({ gardener: late.gardener, figures: read, board, clock: systemClock })
    const insight = openInsight({
      pool,
      clusters: useCases.clusters,
      gardener: late.gardener,
      settings: gardenerSettings(config.of(CLUSTERS)),
      clock: systemClock,
    })
    return {
      routes: clustersRoutes({ clusters: useCases.clusters, insight }),
      changes: clustersChanges,
      services: [report.service],
      async connectAlone() {
        const opened = await openConfigured(host)
        const { gardener } = opened
        late.become(gardener.mode === 'mock' ? withoutShoots(gardener) : gardener)
        return [atEnd('connections to Gardener', () => opened.close()), gardens]
      },
      upAlone: (here) =>
        upClusters({ host, here, report, gardens, late, clusters: useCases.clusters }).catch((error: unknown) => {
          report.waitFor(messageOf(error))
          throw error
        }),
      close: () => useCases.close(),
    }
  }

  return {
    inWords: { Cluster: decisionText },
    replays,
    usage: clustersUsage,
    log: (emitter, log, failures) => logClusters(clustersEvents(emitter), log, failures),
    metrics: (registry, emitter) => void clustersMetrics(registry, clustersEvents(emitter), () => read()),
    tag: 'Clusters of organizations, and the Shoots of Gardener that they are converged into.',
    describe: (inert) => clustersRoutes({ clusters: inert('clusters'), insight: inert('insight') }),
    serve,
    measure: (next) => void (read = next),
  }
}
