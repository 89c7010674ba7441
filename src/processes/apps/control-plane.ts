import { join, resolve } from 'node:path'
import { resourceView, type AppsInsight } from '../../api/routes/apps/index.ts'
import { sourcesOfWorker } from '../../domains/apps/usecases/index.ts'
import type { AppsUseCases } from './usecases.ts'
import { APPS } from '../../config/apps.ts'
import { INSTALLATION, type Config, type Env } from '../../config/index.ts'
import { helmCli, releases, type HelmVersion } from '../../domains/apps/helm/index.ts'
import {
  ClusterAway,
  explainAway,
  explainNow,
  inLane,
  insightLane,
  manifestOf,
  notesOf,
  onPlatform,
  previewOf,
  readClusters,
  resourcesOf,
  valuesOf,
  type AppsParts,
  type ClusterAccess,
  type Clusters,
  type InPlace,
  type InsightLane,
} from '../../domains/apps/index.ts'
import { clustersInUse, deploymentRows } from '../../domains/apps/store/index.ts'
import { systemClock, type Service } from '../../kernel/index.ts'
import { discovery, kubeLocks, makeClient, type HttpTransport } from '../../kube/index.ts'
import { namespacePolicies } from './policies.ts'
import { connectCluster, type ClusterConnectionOptions } from './cluster-connection.ts'
import { forPlugins } from '../shared/environment.ts'
import { LOCK_NAMESPACE } from '../shared/lock-namespace.ts'
import { AS_PLATFORM, openPool, type Pool, type Role } from '../../store/index.ts'
import { callsOutsideTransactions } from '../shared/connect.ts'

export interface AppsControlPlaneOptions {
  readonly config: Config
  readonly env: Env
  readonly databaseUrl: string
  /** The API only reads; the routes check first what the caller may see. */
  readonly role: Role
  readonly useCases: AppsUseCases
  readonly transport: HttpTransport
  readonly kubeconfig: string
  /** Path or name of the Helm binary. */
  readonly helm: string
  /** The clusters of organizations. @default deployments in them cannot be reached */
  readonly clusters?: Pick<ClusterConnectionOptions, 'emitter' | 'onError'> & { readonly access: ClusterAccess }
}

/** The apps domain connected to a control plane: what workers act with and what the API reads from. */
export interface AppsControlPlane {
  readonly parts: AppsParts
  readonly transport: HttpTransport
  /** As the role of the options. */
  readonly pool: Pool
  readonly insight: AppsInsight
  /** For a worker. */
  readonly clusters?: Clusters
  /** To be started before anything is asked of `insight`. */
  readonly services: readonly Service[]
  readonly helmVersion: () => Promise<HelmVersion>
  close(): Promise<void>
}

export async function openAppsControlPlane(options: AppsControlPlaneOptions): Promise<AppsControlPlane> {
  const { config, env, databaseUrl, role, useCases, transport, kubeconfig, helm } = options
  const { previewConcurrency: concurrency, previewTimeout: limitMs } = config.of(APPS)
  const pool = openPool({
    url: databaseUrl,
    applicationName: 'caelus apps',
    role,
    ...(role === 'caelus_api' && { settings: AS_PLATFORM }),
  })
  if (role === 'caelus_worker') useCases.readSourcesWith(sourcesOfWorker(pool))
  const client = makeClient(transport, { fieldManager: 'caelus' })
  const kinds = discovery(transport, systemClock)
  const ofHelm = {
    home: join(resolve(config.of(INSTALLATION).dataDir), 'helm'),
    env: forPlugins(env),
    renderMs: config.of(APPS).renderTimeout,
  }
  const calling = helmCli({ binary: helm, kubeconfig, kinds, ...ofHelm })
  useCases.verifyWith(calling.verify)
  const program = callsOutsideTransactions('Helm', calling)
  const parts: AppsParts = {
    client,
    discovery: kinds,
    rows: deploymentRows(pool),
    charts: useCases.charts,
    helm: program,
    releases: releases(client, kinds),
    locks: kubeLocks({ client, namespace: LOCK_NAMESPACE }),
    clock: systemClock,
    settings: {
      ingressClass: config.of(APPS).ingressClass,
      digestSalt: await digestSalt(pool),
      policies: namespacePolicies(config.of(APPS)),
      allowedManagers: config.of(APPS).allowedManagers.map((one) => ({ ...one, saidBy: 'platform' })),
      ...(useCases.ring && { ring: useCases.ring }),
    },
  }
  const clusters: Clusters | undefined = options.clusters && {
    access: options.clusters.access,
    connect: connectCluster({ helm, ...ofHelm, ...options.clusters }),
    inUse: () => clustersInUse(pool),
  }
  const reading = clusters && readClusters(clusters, parts)
  const lane = insightLane({ clock: systemClock, concurrency, limitMs })
  return {
    parts,
    transport,
    pool,
    insight: insightOf(parts, useCases, lane, reading?.inPlace),
    ...(clusters && { clusters }),
    services: reading?.services ?? [],
    helmVersion: () => program.version(),
    close: () => pool.end(),
  }
}

/** What the API tells people about apps. */
export function insightOf(
  platform: AppsParts,
  { apps }: Pick<AppsUseCases, 'apps'>,
  lane: InsightLane,
  inPlace: InPlace = onPlatform(platform),
): AppsInsight {
  const rowOf = async (id: string) => (await platform.rows.load(id))?.deployment
  return {
    preview: (inputs, signal) =>
      inPlace(inputs.after.deployment, signal, (parts) =>
        lane.run(inputs.after.deployment.userId, (until) => previewOf(parts, inputs, until), signal),
      ),
    resources: async (deploymentId, signal) =>
      await inPlace((await rowOf(deploymentId)) ?? NOWHERE, signal, async (parts) =>
        (await resourcesOf(parts, deploymentId, signal)).map((resource) => resourceView(resource)),
      ),
    notes: (inputs, signal) => inPlace(inputs.deployment, signal, (parts) => notesOf(parts, inputs, signal)),
    // Each takes a thread.
    manifest: (inputs, signal) =>
      inPlace(inputs.deployment, signal, (parts) =>
        lane.run(inputs.deployment.userId, (until) => manifestOf(parts, inputs, until), signal),
      ),
    values: (inputs, signal) =>
      inPlace(inputs.deployment, signal, (parts) =>
        lane.run(inputs.deployment.userId, (until) => valuesOf(parts, inputs, until), signal),
      ),
    async explain(deploymentId, signal) {
      const { items } = await apps.listJobs({ admin: true }, { deploymentId, limit: 1 })
      const row = await rowOf(deploymentId)
      try {
        return await inPlace(row ?? NOWHERE, signal, (parts) => {
          const helm = inLane(parts.helm, lane, row?.userId ?? '')
          return explainNow({ ...parts, helm }, deploymentId, items[0] ?? null, signal)
        })
      } catch (error) {
        if (row === undefined || !(error instanceof ClusterAway)) throw error
        return explainAway(row, error.failure)
      }
    },
  }
}

const NOWHERE = { clusterId: null }

async function digestSalt(pool: Pool): Promise<string> {
  const [row] = await pool.query<{ digest_salt: string }>('select digest_salt from caelus.installation')
  if (row === undefined) throw new Error('failed to read the salt of this installation: caelus.installation is empty')
  return row.digest_salt
}
