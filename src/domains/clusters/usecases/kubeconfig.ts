import { asUser, note, type Actor } from '../../../store/index.ts'
import { raise } from '../failures.ts'
import { clusterKey } from '../queue.ts'
import type { ShootSummary } from '../types.ts'
import { changeableCluster, changeableOrganization } from './access.ts'
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
    const shoot = reachable(await changeableCluster(tx, organizationId, id))
    await note(tx, actor, {
      action: 'kubeconfig',
      object: clusterKey(id),
      tenant: organizationId,
      detail: { seconds },
    })
    return shoot
  })
}

/** Refuses a cluster without a control plane that a kubeconfig could lead to. */
function reachable({ name, sync: { shoot } }: ListedCluster): ShootSummary {
  if (shoot === null) throw raise.ClusterNotReady(`cluster ${name} has no control plane yet`)
  if (shoot.isHibernated) throw raise.ClusterNotReady(`the control plane of cluster ${name} is hibernated`)
  const isUp = shoot.conditions.some(({ type, status }) => type === 'APIServerAvailable' && status === 'True')
  const { type, state } = shoot.operation ?? { type: 'Create', state: 'Pending' }
  if (!isUp && type === 'Create' && state !== 'Succeeded') {
    throw raise.ClusterNotReady(`the control plane of cluster ${name} is not up yet`)
  }
  return shoot
}
