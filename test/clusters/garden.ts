import { vi } from 'vitest'
import type { ClustersEvents } from '../../src/domains/clusters/events.ts'
import { openGardener } from '../../src/domains/clusters/gardener/client.ts'
import { openMockGarden, type MockGarden } from '../../src/domains/clusters/gardener/stand-in/mock.ts'
import type { Gardener } from '../../src/domains/clusters/gardener/gardener.ts'
import type { GardenerSettings } from '../../src/domains/clusters/shoot/wanted.ts'
import type { ShootStatus } from '../../src/domains/clusters/types.ts'
import { openInsight, type ClustersInsight, type ListedCluster } from '../../src/domains/clusters/usecases/index.ts'
import { clustersWorker } from '../../src/domains/clusters/worker.ts'
import {
  createEmitter,
  decisionLog,
  seededRandom,
  startAll,
  systemClock,
  type KernelEvents,
} from '../../src/kernel/index.ts'
import { decisionStore } from '../../src/store/index.ts'
import type { WatchEvents } from '../../src/kube/index.ts'
import { clustersWorld, type ClustersWorld } from './world.ts'

export const SETTINGS: GardenerSettings = {
  providerType: 'local',
  cloudProfile: 'local',
  maxShootNameLen: 21,
  networkingType: 'calico',
}

export interface GardenWorld extends ClustersWorld {
  readonly garden: MockGarden
  readonly gardener: Gardener
  readonly insight: ClustersInsight
  /** The cluster once its status is this one. */
  becomes(id: string, status: ShootStatus): Promise<ListedCluster>
  /** What was decided is in the database. */
  readonly kept: () => Promise<void>
}

const PATIENCE = { timeout: 30_000, interval: 50 }

/** People, rows, a worker, and a garden in memory that is fast. `kubeconfig`: of every Shoot. */
export async function gardenWorld(
  kubeconfig = 'apiVersion: v1',
  settings: GardenerSettings = SETTINGS,
): Promise<GardenWorld> {
  await using ending = new AsyncDisposableStack()
  const w = ending.use(await clustersWorld())
  const emitter = createEmitter<KernelEvents & ClustersEvents & WatchEvents>()
  const random = seededRandom(1)
  const clock = systemClock
  const garden = await openMockGarden({
    clock,
    random,
    emitter,
    pace: { stepMs: 5, steps: 4, retryMs: 20 },
    namespaceAfterMs: 10,
    kubeconfigOf: () => kubeconfig,
  })
  const gardener = openGardener({
    mode: 'mock',
    transport: garden.transport,
    settings,
    clock,
    emitter,
    random,
  })
  const decisions = decisionLog()
  const store = decisionStore({ pool: w.database.openPool({ role: 'caelus_worker' }), collectMs: 0 })
  decisions.onAdd(store.keep)
  const worker = clustersWorker({
    gardener,
    settings,
    queue: w.queue,
    rows: w.rows,
    clock,
    random,
    emitter,
    decisions,
    instance: 'worker-1',
    pollMs: 100,
  })
  const stop = await startAll([...garden.services, ...worker])
  ending.defer(store.flush)
  ending.defer(() => stop())
  const made = ending.move()
  return {
    ...w,
    garden,
    gardener,
    insight: openInsight({ pool: w.pool, clusters: w.clusters, gardener, settings, clock }),
    kept: store.flush,
    becomes: (id, status) =>
      vi.waitFor(async () => {
        const cluster = await w.clusters.findCluster(w.admin, id)
        if (cluster.sync.status !== status) throw new Error(`it is ${cluster.sync.status}, not ${status}`)
        return cluster
      }, PATIENCE),
    [Symbol.asyncDispose]: () => made.disposeAsync(),
  }
}
