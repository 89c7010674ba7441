import { join, resolve } from 'node:path'
import { resourceView, type AppsInsight } from '../../api/routes/apps/index.ts'
import { sourcesOfWorker } from '../../domains/apps/usecases/index.ts'
import type { AppsUseCases } from './usecases.ts'
import { APPS } from '../../config/apps.ts'
import { INSTALLATION, type Config, type Env } from '../../config/index.ts'
import { helmCli, releases, type HelmVersion } from '../../domains/apps/helm/index.ts'
import {
  explainNow,
  inLane,
  insightLane,
  manifestOf,
  notesOf,
  previewOf,
  resourcesOf,
  valuesOf,
  type AppsParts,
  type InsightLane,
} from '../../domains/apps/index.ts'
import { deploymentRows } from '../../domains/apps/store/index.ts'
import { systemClock } from '../../kernel/index.ts'
import { discovery, kubeLocks, makeClient, type HttpTransport } from '../../kube/index.ts'
import { namespacePolicies } from './policies.ts'
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
}

/** The apps domain connected to a control plane: what workers act with and what the API reads from. */
export interface AppsControlPlane {
  readonly parts: AppsParts
  readonly transport: HttpTransport
  /** As the role of the options. */
  readonly pool: Pool
  readonly insight: AppsInsight
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
  const calling = helmCli({
    binary: helm,
    kubeconfig,
    kinds,
    home: join(resolve(config.of(INSTALLATION).dataDir), 'helm'),
    env: forPlugins(env),
    renderMs: config.of(APPS).renderTimeout,
  })
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
  return {
    parts,
    transport,
    pool,
    insight: insightOf(parts, useCases, insightLane({ clock: systemClock, concurrency, limitMs })),
    helmVersion: () => program.version(),
    close: () => pool.end(),
  }
}

/** What the API tells people about apps. */
export function insightOf(parts: AppsParts, { apps }: Pick<AppsUseCases, 'apps'>, lane: InsightLane): AppsInsight {
  return {
    preview: (inputs, signal) =>
      lane.run(inputs.after.deployment.userId, (until) => previewOf(parts, inputs, until), signal),
    resources: async (deploymentId, signal) =>
      (await resourcesOf(parts, deploymentId, signal)).map((resource) => resourceView(resource)),
    notes: (inputs, signal) => notesOf(parts, inputs, signal),
    // Each takes a thread.
    manifest: (inputs, signal) =>
      lane.run(inputs.deployment.userId, (until) => manifestOf(parts, inputs, until), signal),
    values: (inputs, signal) => lane.run(inputs.deployment.userId, (until) => valuesOf(parts, inputs, until), signal),
    async explain(deploymentId, signal) {
      const { items } = await apps.listJobs({ admin: true }, { deploymentId, limit: 1 })
      const tenant = (await parts.rows.load(deploymentId))?.deployment.userId ?? ''
      const helm = inLane(parts.helm, lane, tenant)
      return await explainNow({ ...parts, helm }, deploymentId, items[0] ?? null, signal)
    },
  }
}

async function digestSalt(pool: Pool): Promise<string> {
  const [row] = await pool.query<{ digest_salt: string }>('select digest_salt from caelus.installation')
  if (row === undefined) throw new Error('failed to read the salt of this installation: caelus.installation is empty')
  return row.digest_salt
}
