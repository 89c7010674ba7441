import { raise } from './failures.ts'
import type { Gardener, Kubeconfig } from './gardener/gardener.ts'
import type { LoadedCluster } from './rows.ts'

export interface AdminAccessDeps {
  readonly gardener: Pick<Gardener, 'adminKubeconfig'>
  readonly load: (clusterId: string) => Promise<Pick<LoadedCluster, 'cluster' | 'sync'> | undefined>
  /** How long each kubeconfig lasts. @default 3600 */
  readonly seconds?: number
}

/** For parts of the platform that work inside of clusters. People get theirs by a use case, which notes who asked. */
export interface AdminAccess {
  /** `undefined`: nothing of the cluster is left. */
  kubeconfig(clusterId: string, signal: AbortSignal): Promise<Kubeconfig | undefined>
}

export const adminAccess = ({ gardener, load, seconds = 3_600 }: AdminAccessDeps): AdminAccess => ({
  async kubeconfig(clusterId, signal) {
    const loaded = await load(clusterId)
    if (loaded === undefined) throw raise.ClusterNotReady(`there is no cluster ${clusterId}`)
    const { cluster, sync } = loaded
    if (cluster.deletedAt !== null && sync.status === 'deleted') return undefined
    if (sync.shoot === null) throw raise.ClusterNotReady(`the Shoot of cluster ${cluster.name} is not there yet`)
    if (sync.shoot.isHibernated) throw raise.ClusterNotReady(`cluster ${cluster.name} is hibernated`)
    const { namespace, name } = sync.shoot
    return await gardener.adminKubeconfig({ namespace, name }, seconds, signal)
  },
})
