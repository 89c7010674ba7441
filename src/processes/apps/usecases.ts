import { join, resolve } from 'node:path'
import { APPS } from '../../config/apps.ts'
import { INSTALLATION, type Config } from '../../config/index.ts'
import {
  accessTo,
  clusterApps,
  openApps,
  proofOf,
  sourcesOfApi,
  type Apps,
  type ClusterApps,
  type ClusterDirectory,
  type FindSource,
} from '../../domains/apps/usecases/index.ts'
import { cannotVerify, charts, keyringFile, type Charts, type VerifyArchive } from '../../domains/apps/helm/index.ts'
import { APPS_QUEUE, keyRing, type AppsParts, type KeyRing, type Trial } from '../../domains/apps/index.ts'
import { userDirectory } from '../../identity/index.ts'
import { systemClock } from '../../kernel/index.ts'
import { callsOutsideTransactions } from '../shared/connect.ts'
import { domainRules } from './domain-rules.ts'
import { openQueuePool, PostgresQueue, type Pool } from '../../store/index.ts'

export interface AppsUseCasesOptions {
  readonly config: Config
  readonly databaseUrl: string
  /** As the role caelus_api. */
  readonly pool: Pool
  /** @default there are none */
  readonly clusters?: ClusterDirectory
}

/** The use cases of apps, and what workers share with them. */
export interface AppsUseCases {
  readonly apps: Apps
  /** For the domain of clusters. */
  readonly clusterApps: ClusterApps
  readonly charts: Charts
  readonly ring: KeyRing | undefined
  /** From now on charts are tried before they are published. */
  tryWith(parts: Pick<AppsParts, 'helm' | 'discovery' | 'client'>): void
  /** Says how the hosts of charts are looked up by a process that may not read as the API. */
  readSourcesWith(find: FindSource): void
  /** From now on charts can be verified. */
  verifyWith(verify: VerifyArchive): void
  close(): Promise<void>
}

export function openAppsUseCases({ config, databaseUrl, pool, clusters }: AppsUseCasesOptions): AppsUseCases {
  const { valuesKey, chartCacheDir, localCharts = false, ingressClass } = config.of(APPS)
  const { deploymentsPerUser, keepRevisions, chartProvenance, chartKeyring } = config.of(APPS)
  const ring = valuesKey && keyRing(valuesKey.reveal())
  let find = sourcesOfApi(pool)
  let verify: VerifyArchive | undefined
  const platformKeyring = async () => (chartKeyring === undefined ? undefined : await keyringFile(chartKeyring))
  const fetching = charts({
    cacheDir: chartCacheDir ?? join(resolve(config.of(INSTALLATION).dataDir), 'charts'),
    localPaths: localCharts,
    accessFor: (host) => accessTo(find, ring, host),
    proofFor: (host) => proofOf(find, { isRequired: chartProvenance === 'required', keyring: platformKeyring }, host),
    verify: (signed, signal) => (verify ?? cannotVerify)(signed, signal),
  })
  const source = callsOutsideTransactions('charts', fetching)
  const queuePool = openQueuePool({ url: databaseUrl, applicationName: 'caelus api queue', role: 'caelus_api', max: 2 })
  const queue = new PostgresQueue({ pool: queuePool, name: APPS_QUEUE })
  let trial: Trial | undefined
  let cluster: AppsParts['client'] | undefined
  const apps = openApps({
    pool,
    queue,
    ring,
    charts: source,
    platformKeyring,
    users: userDirectory,
    clusters,
    trial: () => trial,
    cluster: () => cluster,
    ingressClass,
    deploymentsPerUser,
    keepRevisions,
    domains: domainRules(config),
    clock: systemClock,
    random: Math.random,
  })
  return {
    apps,
    clusterApps: clusterApps({ queue }),
    charts: source,
    ring,
    tryWith: ({ helm, discovery, client }) => {
      cluster = client
      trial = { helm, discovery, ingressClass }
    },
    readSourcesWith: (next) => {
      find = next
    },
    verifyWith: (next) => {
      verify = next
    },
    async close() {
      queue.close()
      await queuePool.end()
    },
  }
}
