import { asUser, note, type Actor } from '../../../store/index.ts'
import { clusterKey } from '../queue.ts'
import { changeableCluster, changeableOrganization } from './access.ts'
import type { ClustersDeps } from './deps.ts'
import type { ListedCluster } from './port.ts'

/** In the audit before Gardener is asked: whoever could have one is named there, also if the answer is lost. */
export function noteKubeconfig(
  { pool }: ClustersDeps,
  actor: Actor,
  organizationId: string,
  id: string,
  seconds: number,
): Promise<ListedCluster> {
  return asUser(pool, actor, async (tx) => {
    await changeableOrganization(tx, actor, organizationId, 'have a kubeconfig of its clusters')
    const cluster = await changeableCluster(tx, organizationId, id)
    await note(tx, actor, {
      action: 'asked for kubeconfig',
      object: clusterKey(id),
      tenant: organizationId,
      detail: { seconds },
    })
    return cluster
  })
}
