import type { ClusterAccess, Clusters as ClustersOfApps } from '../../../src/domains/apps/index.ts'
import { clustersInUse } from '../../../src/domains/apps/store/index.ts'
import { clusterApps } from '../../../src/domains/apps/usecases/index.ts'
import {
  adminAccess,
  CLUSTERS_QUEUE,
  clustersWorker,
  type ClusterRows,
  type ClustersEvents,
  type ClustersWorkerDeps,
} from '../../../src/domains/clusters/index.ts'
import { openGardener } from '../../../src/domains/clusters/gardener/client.ts'
import type { GardenerSettings } from '../../../src/domains/clusters/shoot/wanted.ts'
import { clusterRows, noteAccessOfWorker } from '../../../src/domains/clusters/store/index.ts'
import { openClusters, type Clusters } from '../../../src/domains/clusters/usecases/index.ts'
import {
  atEnd,
  createEmitter,
  decisionLog,
  startAll,
  systemClock,
  type KernelEvents,
} from '../../../src/kernel/index.ts'
import { httpTransport, loadKubeConfig, type Transport, type WatchEvents } from '../../../src/kube/index.ts'
import { connectCluster } from '../../../src/processes/apps/cluster-connection.ts'
import { openPool, PostgresQueue } from '../../../src/store/index.ts'
import type { WorkerPlace } from './parts.ts'
import type { WorkerWorld } from './world.ts'

/** How apps of a world get into clusters. */
export function clustersOf(world: WorkerWorld, access: ClusterAccess): ClustersOfApps {
  const { helm, dir: home } = world
  return {
    access,
    connect: connectCluster({ helm, home, tempDir: home, emitter: createEmitter(), onError: () => {} }),
    inUse: () => clustersInUse(world.database.pool),
  }
}

/** Credentials of processes that a test kills or stops: they end while it does. */
const CREDENTIALS_SEC = 5

/** How apps of a process of their own get into the clusters of a garden. */
export async function clustersOfGarden(
  { databaseUrl: url, helmBinary: helm, dir: home }: WorkerPlace,
  garden: string,
  through: (transport: Transport) => Transport,
): Promise<ClustersOfApps> {
  const pool = openPool({ url, applicationName: 'access to clusters', role: 'caelus_worker' })
  const rows = clusterRows(pool)
  const gardener = openGardener({
    mode: 'real',
    transport: httpTransport(await loadKubeConfig({ path: garden })),
    settings: GARDENER,
    clock: systemClock,
    random: Math.random,
    emitter: clustersEmitter(),
  })
  const connect = connectCluster({ helm, home, tempDir: home, emitter: createEmitter(), onError: () => {} })
  return {
    access: adminAccess({
      gardener,
      load: (id) => rows.load(id),
      note: (access) => noteAccessOfWorker(pool, 'vm-1', access),
      clock: systemClock,
      seconds: CREDENTIALS_SEC,
    }),
    connect(id, config) {
      const connection = connect(id, config)
      const transport = through(connection.transport)
      return { ...connection, transport }
    },
    inUse: () => clustersInUse(pool),
  }
}

/** What happens to clusters and to the watch of their Gardener. */
export const clustersEmitter = () => createEmitter<KernelEvents & WatchEvents & ClustersEvents>()

export const GARDENER: GardenerSettings = {
  providerType: 'local',
  cloudProfile: 'local',
  maxShootNameLen: 21,
  networkingType: 'calico',
}

type Given = Pick<ClustersWorkerDeps, 'gardener' | 'settings' | 'emitter'> & Partial<ClustersWorkerDeps>

export interface ClustersOfWorld {
  readonly clusters: Clusters
  readonly rows: ClusterRows
  readonly queue: PostgresQueue
  readonly access: ClusterAccess
  readonly stop: () => Promise<void>
}

/** A worker of clusters beside the apps of a world, and the use cases of both. */
export async function startClusters(
  { database, queue: appsQueue }: WorkerWorld,
  { gardener, ...given }: Given,
): Promise<ClustersOfWorld> {
  const ofWorker = database.openPool({ role: 'caelus_worker' })
  const rows = clusterRows(ofWorker)
  const queue = new PostgresQueue({ pool: database.openQueuePool({ role: 'caelus_worker' }), name: CLUSTERS_QUEUE })
  const worker = clustersWorker({
    gardener,
    queue,
    rows,
    clock: systemClock,
    random: Math.random,
    decisions: decisionLog(),
    instance: 'clusters',
    passMs: 60_000,
    pollMs: 250,
    statusPollMs: 1_000,
    ...given,
  })
  const stop = await startAll([atEnd('queue of clusters', () => queue.close()), ...worker])
  const pool = database.openPool({ role: 'caelus_api' })
  return {
    clusters: openClusters({ pool, queue, apps: clusterApps({ queue: appsQueue }), clock: systemClock }),
    rows,
    queue,
    access: adminAccess({
      gardener,
      load: (id) => rows.load(id),
      note: (access) => noteAccessOfWorker(ofWorker, 'vm-1', access),
      clock: systemClock,
    }),
    stop,
  }
}
