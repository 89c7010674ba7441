import { onTestFinished } from 'vitest'
import { clustersChanges, clustersRoutes } from '../../../src/api/routes/clusters/index.ts'
import { clusterApps } from '../../../src/domains/apps/usecases/index.ts'
import { APPS_QUEUE } from '../../../src/domains/apps/queue.ts'
import { CLUSTERS_QUEUE, clustersWorker, type ClustersEvents } from '../../../src/domains/clusters/index.ts'
import { openGardener } from '../../../src/domains/clusters/gardener/client.ts'
import { openMockGarden, type MockGarden } from '../../../src/domains/clusters/gardener/stand-in/mock.ts'
import type { SimulatedFailure } from '../../../src/domains/clusters/gardener/stand-in/simulated.ts'
import type { GardenerSettings } from '../../../src/domains/clusters/shoot/wanted.ts'
import { clusterRows } from '../../../src/domains/clusters/store/index.ts'
import { openClusters, openInsight, type Clusters } from '../../../src/domains/clusters/usecases/index.ts'
import { openIdentity, type IdentityUseCases } from '../../../src/identity/index.ts'
import { createEmitter, seededRandom, startAll, systemClock, type KernelEvents } from '../../../src/kernel/index.ts'
import { at, type WatchEvents } from '../../../src/kube/index.ts'
import { openPool, openQueuePool, openRowQueue, PostgresQueue } from '../../../src/store/index.ts'
import { consoleWorld, type ConsoleWorld } from '../world.ts'

export interface ClustersConsole extends ConsoleWorld {
  readonly clusters: Clusters
  readonly identity: IdentityUseCases
  readonly garden: MockGarden
  /** Lets the operations of a cluster fail, once it has a Shoot. */
  readonly fail: (clusterId: string, failure: SimulatedFailure) => Promise<void>
  readonly heal: (clusterId: string) => Promise<void>
}

interface ClustersConsoleOptions {
  /** Between two of the 12 reports of progress of an operation. @default 50 */
  readonly stepMs?: number
}

const SETTINGS: GardenerSettings = {
  providerType: 'local',
  cloudProfile: 'local',
  maxShootNameLen: 21,
  networkingType: 'calico',
}

/** The console on the real API with clusters enabled, a worker, and the Gardener of the mode `mock`. */
export async function clustersConsole({ stepMs = 50 }: ClustersConsoleOptions = {}): Promise<ClustersConsole> {
  const complaints: unknown[] = []
  const emitter = createEmitter<KernelEvents & WatchEvents & ClustersEvents>()
  const common = { clock: systemClock, random: seededRandom(7), emitter }
  const garden = await openMockGarden({
    ...common,
    pace: { stepMs, steps: 12, retryMs: 1_000 },
    namespaceAfterMs: 100,
    onError: (error) => complaints.push(error),
  })
  const gardener = openGardener({ ...common, mode: 'mock', transport: garden.transport, settings: SETTINGS })
  const opened: Clusters[] = []
  const ends: (() => Promise<unknown>)[] = []
  const world = await consoleWorld(
    {},
    {
      topics: [clustersChanges],
      routes: ({ pool, url }) => {
        const queuePool = openQueuePool({ url, applicationName: 'test queue', role: 'caelus_api' })
        const queue = new PostgresQueue({ pool: queuePool, name: CLUSTERS_QUEUE })
        ends.push(async () => {
          queue.close()
          appsQueue.close()
          await queuePool.end()
        })
        const appsQueue = new PostgresQueue({ pool: queuePool, name: APPS_QUEUE })
        const clusters = openClusters({
          pool,
          queue,
          apps: clusterApps({ queue: appsQueue }),
          clock: systemClock,
        })
        opened.push(clusters)
        const insight = openInsight({ pool, clusters, gardener, settings: SETTINGS, clock: systemClock })
        return [clustersRoutes({ clusters, insight })]
      },
    },
  )
  const [clusters] = opened
  if (clusters === undefined) throw new Error('expected the routes of clusters to be asked for')
  const { api } = world
  const workerPool = openPool({ url: api.url, applicationName: 'test worker', role: 'caelus_worker' })
  const rows = openRowQueue({
    url: api.url,
    name: CLUSTERS_QUEUE,
    role: 'caelus_worker',
    onListenerLost: (error) => complaints.push(error),
  })
  const stop = await startAll([
    ...rows.services,
    ...garden.services,
    ...clustersWorker({
      ...common,
      gardener,
      settings: SETTINGS,
      queue: rows.queue,
      rows: clusterRows(workerPool),
      decisions: api.decided,
      instance: 'worker-1',
      pollMs: 1_000,
    }),
  ])
  onTestFinished(async () => {
    await stop()
    await workerPool.end()
    for (const end of ends) await end()
    if (complaints.length > 0) throw new AggregateError(complaints, 'the worker or the garden complained')
  })
  api.parts.board.domain('clusters', { enabled: true, health: 'ok', message: '', objects: 0, not_ready: 0 })

  const shootOf = async (id: string) => {
    const found = gardener.shoots.ofCluster(id)
    if (found !== undefined) return at(found)
    return await new Promise<ReturnType<typeof at>>((resolve) => {
      const stopListening = gardener.shoots.onChange((changed) => {
        const shoot = changed === id ? gardener.shoots.ofCluster(id) : undefined
        if (shoot === undefined) return
        stopListening()
        resolve(at(shoot))
      })
    })
  }
  return {
    ...world,
    clusters,
    garden,
    identity: openIdentity({ pool: api.pool, usage: [] }),
    fail: async (id, failure) => garden.gardenlet.fail(await shootOf(id), failure),
    heal: async (id) => garden.gardenlet.heal(await shootOf(id)),
  }
}
