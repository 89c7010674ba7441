import type { Clock } from '../../kernel/index.ts'
import { raise } from './failures.ts'
import type { Gardener, Kubeconfig } from './gardener/gardener.ts'
import type { LoadedCluster } from './rows.ts'

/** A kubeconfig that Caelus itself is about to ask for. */
export interface NotedAccess {
  readonly clusterId: string
  readonly organizationId: string
  readonly seconds: number
}

export interface AdminAccessDeps {
  readonly gardener: Pick<Gardener, 'adminKubeconfig'>
  readonly load: (clusterId: string) => Promise<Pick<LoadedCluster, 'cluster' | 'sync'> | undefined>
  /** Writes the audit row. If that fails, Gardener is not asked. */
  readonly note: (access: NotedAccess) => Promise<void>
  readonly clock: Pick<Clock, 'now'>
  /** How long each kubeconfig lasts. @default 3600 */
  readonly seconds?: number
}

/** For parts of the platform that work inside of clusters. People get theirs by a use case, which notes who asked. */
export interface AdminAccess {
  /** `undefined`: nothing of the cluster is left. */
  kubeconfig(clusterId: string, signal: AbortSignal): Promise<Kubeconfig | undefined>
}

/**
 * How long an audit row counts for further attempts after Gardener gave no kubeconfig. Without it, every retry while Gardener is
 * away would add a row.
 */
const UNANSWERED_MS = 600_000

export function adminAccess({ gardener, load, note, clock, seconds = 3_600 }: AdminAccessDeps): AdminAccess {
  /** When the row was written that led to no kubeconfig, by cluster. */
  const unanswered = new Map<string, number>()

  async function noted(access: NotedAccess): Promise<number> {
    const before = unanswered.get(access.clusterId)
    // Taken out: a second request at the same time needs a row of its own.
    unanswered.delete(access.clusterId)
    if (before !== undefined && clock.now() - before < UNANSWERED_MS) return before
    await note(access)
    return clock.now()
  }

  return {
    async kubeconfig(clusterId, signal) {
      const loaded = await load(clusterId)
      if (loaded === undefined) throw raise.ClusterNotReady(`there is no cluster ${clusterId}`)
      const { cluster, sync } = loaded
      if (cluster.deletedAt !== null && sync.status === 'deleted') return undefined
      if (sync.shoot === null) throw raise.ClusterNotReady(`the Shoot of cluster ${cluster.name} is not there yet`)
      if (sync.shoot.isHibernated) throw raise.ClusterHibernated(`cluster ${cluster.name} is hibernated`)
      const { namespace, name } = sync.shoot
      const notedAt = await noted({ clusterId, organizationId: cluster.organizationId, seconds })
      try {
        return await gardener.adminKubeconfig({ namespace, name }, seconds, signal)
      } catch (error) {
        unanswered.set(clusterId, notedAt)
        throw error
      }
    },
  }
}
