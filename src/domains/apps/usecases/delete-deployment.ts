import { asUser, checkGeneration, found, note, type Actor, type Precondition, type Tx } from '../../../store/index.ts'
import { deploymentKey, WAKE_REASON } from '../queue.ts'
import {
  findDeployment,
  lockDeployment,
  markDeleting,
  type DeploymentRef,
  type ListedDeployment,
} from '../store/index.ts'
import { intentOf } from './intent.ts'
import type { UseCaseDeps } from './deps.ts'

/** Whatever is under way is superseded: the strongest reason, and the next run sees nothing but the deletion. */
export function deleteDeployment(
  deps: UseCaseDeps,
  actor: Actor,
  ref: DeploymentRef,
  precondition: Precondition = {},
): Promise<ListedDeployment> {
  return asUser(deps.pool, actor, async (tx) => {
    await removeDeployment(deps, tx, actor, ref, precondition)
    return found(await findDeployment(tx, ref), 'deployment', ref.id)
  })
}

export async function removeDeployment(
  deps: Pick<UseCaseDeps, 'queue'>,
  tx: Tx,
  actor: Actor,
  ref: DeploymentRef,
  precondition: Precondition,
): Promise<void> {
  const before = found(await lockDeployment(tx, ref), 'deployment', ref.id)
  if (before.deletedAt === null) {
    checkGeneration(before.generation, precondition)
    await markDeleting(tx, before.id)
    await deps.queue.wakeIn(tx, {
      key: deploymentKey(before.id),
      wake: { reason: WAKE_REASON.delete, tenant: before.userId },
    })
    await note(tx, actor, {
      action: 'deleted',
      object: deploymentKey(before.id),
      tenant: before.userId,
      before: intentOf(before),
      detail: { generation: before.generation + 1 },
    })
  }
}
