import { asUser, found, note, type Actor } from '../../../store/index.ts'
import { raise } from '../failures.ts'
import { clusterKey } from '../queue.ts'
import type { ShootSummary } from '../types.ts'
import { lockCluster } from '../store/index.ts'
import { changeableOrganization } from './access.ts'
import type { ClustersDeps } from './deps.ts'
import type { ListedCluster } from './port.ts'

/**
 * In the audit before Gardener is asked: whoever could have one is named there, also if the answer is lost. Answers with the
 * Shoot that it is of.
 */
export function noteKubeconfig(
  { pool }: ClustersDeps,
  actor: Actor,
  organizationId: string,
  id: string,
  seconds: number,
): Promise<ShootSummary> {
  return asUser(pool, actor, async (tx) => {
    await changeableOrganization(tx, actor, organizationId, 'have a kubeconfig of its clusters')
    const shoot = reachable(found(await lockCluster(tx, organizationId, id), 'cluster', id))
    await note(tx, actor, {
      action: 'kubeconfig',
      object: clusterKey(id),
      tenant: organizationId,
      detail: { seconds },
    })
    return shoot
  })
}

/**
 * Refuses a cluster without a control plane that a kubeconfig could lead to. One that is being deleted has it until the end: what
 * blocks its deletion may have to be removed by its users.
 */
function reachable({ name, sync: { shoot, status } }: ListedCluster): ShootSummary {
  if (status === 'deleted') throw raise.ClusterBeingDeleted(`cluster ${name} was deleted`)
  if (shoot === null) throw raise.ClusterNotReady(`cluster ${name} has no control plane yet`)
  if (shoot.isHibernated) throw raise.ClusterHibernated(`the control plane of cluster ${name} is hibernated`)
  const isUp = shoot.conditions.some((one) => one.type === 'APIServerAvailable' && one.status === 'True')
  const { type, state } = shoot.operation ?? { type: 'Create', state: 'Pending' }
  if (!isUp && type === 'Create' && state !== 'Succeeded') {
    throw raise.ClusterNotReady(`the control plane of cluster ${name} is not up yet`)
  }
  return shoot
}
