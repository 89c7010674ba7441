import { CLUSTERS } from '../../config/clusters.ts'
import { adminAccess, type AdminAccess, type AdminAccessDeps } from '../../domains/clusters/index.ts'
import { clusterRows, findCluster, noteAccessOfApi, noteAccessOfWorker } from '../../domains/clusters/store/index.ts'
import { systemClock } from '../../kernel/index.ts'
import { asUser, openPool, type Pool } from '../../store/index.ts'
import { instanceName } from '../shared/instance.ts'
import { neededGardenKubeconfig, openReal, type GardenerHost } from './gardener.ts'

/** For other domains of a process that serves the API; `pool` acts as caelus_api. */
export const accessOfApi = (pool: Pool, gardener: AdminAccessDeps['gardener']): AdminAccess =>
  adminAccess({
    gardener,
    async load(id) {
      const cluster = await asUser(pool, { admin: true }, (tx) => findCluster(tx, undefined, id))
      return cluster && { cluster, sync: cluster.sync }
    },
    note: (access) => noteAccessOfApi(pool, instanceName(), access),
    clock: systemClock,
  })

export interface OpenedAccess {
  readonly access: AdminAccess
  close(): Promise<void>
}

/**
 * For a worker of another domain. Undefined: Gardener is simulated, in the memory of another process, and no cluster can be
 * reached from here.
 */
export async function openAccess(host: GardenerHost, databaseUrl: string): Promise<OpenedAccess | undefined> {
  const { config } = host
  if (config.of(CLUSTERS).mode === 'mock') return undefined
  const opened = await openReal(host, neededGardenKubeconfig(config))
  const pool = openPool({
    url: databaseUrl,
    applicationName: 'caelus access to clusters',
    role: 'caelus_worker',
    max: 2,
  })
  return {
    access: adminAccess({
      gardener: opened.gardener,
      load: (id) => clusterRows(pool).load(id),
      note: (access) => noteAccessOfWorker(pool, instanceName(), access),
      clock: systemClock,
    }),
    async close() {
      await opened.close()
      await pool.end()
    },
  }
}
