import { CLUSTERS } from '../../config/clusters.ts'
import type { Gardenlet } from '../../domains/clusters/gardener/stand-in/gardenlet.ts'
import type { Clusters } from '../../domains/clusters/usecases/index.ts'
import { atEnd } from '../../kernel/index.ts'
import type { ApiHost, UpPlace } from '../domain.ts'
import type { DomainReport } from '../shared/domain-report.ts'
import { orderDemoClusters, TROUBLED_CLUSTERS } from './demo.ts'
import { openMock, openReal, type OpenedGardener } from './gardener.ts'
import { keptGarden } from './kept-garden.ts'
import type { LateGardener } from './late-gardener.ts'
import { WORKER_DEFAULTS } from './settings.ts'
import { openClustersWorker } from './worker.ts'

export interface UpClusters {
  readonly host: ApiHost
  readonly here: UpPlace
  readonly report: DomainReport
  readonly late: LateGardener
  readonly clusters: Clusters
}

/** Opens Gardener, starts a worker on it, and orders the demo where its nodes are simulated. */
export async function upClusters({ host, here, report, late, clusters }: UpClusters): Promise<{ troubled: number }> {
  const { config, pool, onError } = host
  const { progress, begin, workerUrl } = here
  report.waitFor('waits for Gardener')
  const { gardenlet, ...opened } = await openHere(host, here)
  await begin(atEnd('connections to Gardener', () => opened.close()))
  late.become(opened.gardener)
  const worker = openClustersWorker({ host, databaseUrl: workerUrl, opened, own: WORKER_DEFAULTS })
  for (const service of worker.services) await begin(service)
  report.waitFor(undefined)
  const demo =
    gardenlet === undefined
      ? []
      : await orderDemoClusters({
          clusters,
          gardener: opened.gardener,
          gardenlet,
          pool,
          onError: (error) => onError(error, 'Demo of clusters failed'),
        })
  for (const service of demo) await begin(service)
  await report.refresh()
  const which = config.of(CLUSTERS).mode === 'mock' ? ', in a simulated Gardener: no clusters are made' : ''
  progress.say(`  Clusters converge${which}: npx caelus list-clusters`)
  return { troubled: gardenlet === undefined ? 0 : TROUBLED_CLUSTERS }
}

interface OpenedHere extends OpenedGardener {
  /** Absent: the garden is not ours, and neither are its nodes. */
  readonly gardenlet?: Gardenlet
}

async function openHere(host: ApiHost, { dataDir }: UpPlace): Promise<OpenedHere> {
  const { mode, kubeconfig } = host.config.of(CLUSTERS)
  if (mode === 'real' && kubeconfig !== undefined) return await openReal(host, kubeconfig)
  const opened = await openMock(host, keptGarden(dataDir))
  return { ...opened, ...(opened.mock && { gardenlet: opened.mock.gardenlet }) }
}
