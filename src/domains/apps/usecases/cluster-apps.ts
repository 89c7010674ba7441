import { asPlatform, type Actor, type Listed, type PageOptions, type Tx } from '../../../store/index.ts'
import { deploymentsIn, listInCluster, type SeenInCluster } from '../store/index.ts'
import { removeDeployment } from './delete-deployment.ts'
import type { UseCaseDeps } from './deps.ts'

/** What clusters have to know about the apps in them, inside of their own transactions; they may be those of other members. */
export interface ClusterApps {
  /** Those of which something is left, newest first. The caller has checked that the actor may see the cluster. */
  list(tx: Tx, clusterId: string, page: PageOptions): Promise<Listed<SeenInCluster>>
  /** The names of those of which something is left, also those that are being deleted. */
  of(tx: Tx, clusterId: string): Promise<readonly string[]>
  /**
   * Deletes all that are not being deleted yet. The caller has locked the cluster and has checked that the actor may delete
   * it.
   */
  removeAll(tx: Tx, actor: Actor, clusterId: string): Promise<void>
}

export const clusterApps = (deps: Pick<UseCaseDeps, 'queue'>): ClusterApps => ({
  list: (tx, clusterId, page) => asPlatform(tx, () => listInCluster(tx, clusterId, page)),
  of: (tx, clusterId) =>
    asPlatform(tx, async () => (await deploymentsIn(tx, clusterId)).map(({ deploymentUid }) => deploymentUid)),
  removeAll: (tx, actor, clusterId) =>
    asPlatform(tx, async () => {
      for (const { id, isDeleted } of await deploymentsIn(tx, clusterId)) {
        if (!isDeleted) await removeDeployment(deps, tx, actor, { id }, {})
      }
    }),
})
