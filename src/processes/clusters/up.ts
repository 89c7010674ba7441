import { join } from 'node:path'
import { CLUSTERS, type ClustersConfig } from '../../config/clusters.ts'
import { fileKeep, type LateGardener } from '../../domains/clusters/gardener/index.ts'
import type { Clusters } from '../../domains/clusters/usecases/index.ts'
import { atEnd, type Service } from '../../kernel/index.ts'
import type { ApiHost, UpPlace } from '../domain.ts'
import type { DomainReport } from '../shared/domain-report.ts'
import { orderDemoClusters, TROUBLED_CLUSTERS, type StandIn } from './demo.ts'
import { openMock, openReal, type OpenedGardener } from './gardener.ts'
import { WORKER_DEFAULTS } from './settings.ts'
import { openClustersWorker } from './worker.ts'

export interface UpClusters {
  readonly host: ApiHost
  readonly here: UpPlace
  readonly report: DomainReport
  /** Reports whether Gardener answers. */
  readonly gardens: Service
  readonly late: LateGardener
  readonly clusters: Clusters
}

/** Opens Gardener, starts a worker on it, and orders the demo where its nodes are simulated. */
export async function upClusters(up: UpClusters): Promise<{ troubled: number }> {
  const { host, here, report, gardens, late, clusters } = up
  const { config, pool, onError } = host
  const { progress, begin, workerUrl } = here
  report.waitFor('waits for Gardener')
  const { gardenlet, ...opened } = await openHere(host, here)
  await begin(atEnd('connections to Gardener', () => opened.close()))
  late.become(opened.gardener)
  const worker = openClustersWorker({ host, databaseUrl: workerUrl, opened, own: WORKER_DEFAULTS })
  for (const service of worker.services) await begin(service)
  await begin(gardens)
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
  progress.say(`  Clusters converge${gardenText(config.of(CLUSTERS))}: npx caelus list-clusters`)
  return { troubled: gardenlet === undefined ? 0 : TROUBLED_CLUSTERS }
}

const gardenText = ({ mode, kubeconfig }: ClustersConfig): string =>
  mode === 'mock'
    ? ' in a simulated Gardener, which makes none'
    : kubeconfig === undefined
      ? ' in a garden of this machine, which makes none'
      : ''

interface OpenedHere extends OpenedGardener {
  /** Absent: the garden is not ours, and neither are its nodes. */
  readonly gardenlet?: StandIn
}

async function openHere(host: ApiHost, here: UpPlace): Promise<OpenedHere> {
  const { mode, kubeconfig } = host.config.of(CLUSTERS)
  if (mode === 'real') return await (kubeconfig === undefined ? openLocal(host, here) : openReal(host, kubeconfig))
  const opened = await openMock(host, fileKeep(join(here.dataDir, 'simulated-garden.json')))
  return { ...opened, ...(opened.mock && { gardenlet: opened.mock.gardenlet }) }
}

/** Starts a garden on this machine: Gardener's API and admission are real, and no machine is made. */
async function openLocal(host: ApiHost, { dataDir, progress, signal }: UpPlace): Promise<OpenedHere> {
  const { startGarden, progressLine } = await import('../../../tools/index.ts')
  const garden = await startGarden({
    dir: join(dataDir, 'garden'),
    onProgress: (step) => progress.show(step.what, `  preparing Gardener: ${progressLine(step)}`),
    signal,
    onError: (error) => host.onError(error, 'Stand-in of gardenlet failed'),
  })
  progress.show('', '')
  const opened = await openReal(host, garden.kubeconfig).catch(async (error: unknown) => {
    await garden.stop()
    throw error
  })
  return {
    ...opened,
    gardenlet: garden.gardenlet,
    async close() {
      await opened.close()
      await garden.stop()
    },
  }
}
