import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { resourceView, type AppsInsight } from '../../api/index.ts'
import type { AppsUseCases } from './usecases.ts'
import type { Config } from '../../config/index.ts'
import { helmCli, releases, type HelmVersion } from '../../domains/apps/helm/index.ts'
import { explainNow, previewOf, resourcesOf, type AppsParts } from '../../domains/apps/index.ts'
import { deploymentRows } from '../../domains/apps/store/index.ts'
import { service, sleep, systemClock, type Service } from '../../kernel/index.ts'
import { discovery, isAlreadyExists, kubeLocks, makeClient, Namespace, type HttpTransport } from '../../kube/index.ts'
import { aborted } from '../shared/stop-signal.ts'
import { openPool, type Pool } from '../../store/index.ts'

type Env = Readonly<Record<string, string | undefined>>

export interface AppsControlPlaneOptions {
  readonly config: Config
  readonly env: Env
  readonly databaseUrl: string
  readonly useCases: AppsUseCases
  readonly transport: HttpTransport
  readonly kubeconfig: string
  /** Path or name of the program. */
  readonly helm: string
}

/** Apps where there is a control plane: what workers act with, and what the API sees by. */
export interface AppsControlPlane {
  readonly parts: AppsParts
  readonly transport: HttpTransport
  /** As the role caelus_worker. */
  readonly pool: Pool
  readonly insight: AppsInsight
  readonly helmVersion: () => Promise<HelmVersion>
  /** To be started before anything locks. */
  readonly home: Service
  close(): Promise<void>
}

/** Where all domains keep their locks. */
export const LOCK_NAMESPACE = 'caelus-system'
const AGAIN_MS = 5_000

/** This process, as people know it. */
export const instanceName = (): string => `${hostname()}-${process.pid}`

export async function openAppsControlPlane(options: AppsControlPlaneOptions): Promise<AppsControlPlane> {
  const { config, env, databaseUrl, useCases, transport, kubeconfig, helm } = options
  const pool = openPool({ url: databaseUrl, applicationName: 'caelus worker', role: 'caelus_worker' })
  const client = makeClient(transport, { fieldManager: 'caelus' })
  const kinds = discovery(transport, systemClock)
  const program = helmCli({
    binary: helm,
    kubeconfig,
    kinds,
    home: join(resolve(config.dataDir), 'helm'),
    env: forPlugins(env),
  })
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
      ingressClass: config.ingressClass,
      digestSalt: await digestSalt(pool),
      ...(useCases.ring && { ring: useCases.ring }),
    },
  }
  return {
    parts,
    transport,
    pool,
    insight: insightOf(parts, useCases),
    helmVersion: () => program.version(),
    home: lockNamespaceService(parts),
    close: () => pool.end(),
  }
}

function insightOf(parts: AppsParts, { apps }: AppsUseCases): AppsInsight {
  return {
    preview: (inputs, signal) => previewOf(parts, inputs, signal),
    resources: async (deploymentId, signal) =>
      (await resourcesOf(parts, deploymentId, signal)).map((resource) => resourceView(resource)),
    async explain(deploymentId, signal) {
      const { items } = await apps.listJobs({ admin: true }, { deploymentId, limit: 1 })
      return await explainNow(parts, deploymentId, items[0] ?? null, signal)
    },
  }
}

async function digestSalt(pool: Pool): Promise<string> {
  const [row] = await pool.query<{ digest_salt: string }>('select digest_salt from caelus.installation')
  if (row === undefined) throw new Error('failed to read the salt of this installation: caelus.installation is empty')
  return row.digest_salt
}

/** What the credential plugins of a kubeconfig need of our environment. */
const forPlugins = ({ PATH, HOME: home }: Env): Record<string, string> => ({
  ...(PATH !== undefined && { PATH }),
  ...(home !== undefined && { HOME: home }),
})

/** Makes the namespace of the locks, as soon as the control plane answers. */
export const lockNamespaceService = ({ client, clock }: Pick<AppsParts, 'client' | 'clock'>): Service =>
  service('home of locks', async (signal, ready) => {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: LOCK_NAMESPACE } } as const
    for (let made = false; !made && !signal.aborted;) {
      // Whoever may not make it can still find it.
      made = await client.create(Namespace, namespace, { signal }).then(
        () => true,
        async (error: unknown) => isAlreadyExists(error) || (await isThere(client, signal)),
      )
      if (!made) await sleep(clock, AGAIN_MS, signal).catch(() => {})
    }
    ready()
    await aborted(signal)
  })

const isThere = (client: AppsParts['client'], signal: AbortSignal): Promise<boolean> =>
  client.get(Namespace, { name: LOCK_NAMESPACE }, signal).then(
    (found) => found !== undefined,
    () => false,
  )
