import { asUser, checkGeneration, found, note, type Actor, type Precondition } from '../../../store/index.ts'
import { clusterKey } from '../queue.ts'
import { lockCluster, markDeleted } from '../store/index.ts'
import { changeableOrganization, visibleCluster } from './access.ts'
import type { ClustersDeps } from './deps.ts'
import type { ListedCluster } from './port.ts'

/** The row stays: its state tells what is left of the cluster. Deleting it again changes nothing. */
export function deleteCluster(
  { pool }: ClustersDeps,
  actor: Actor,
  organizationId: string,
  id: string,
  precondition: Precondition = {},
): Promise<ListedCluster> {
  return asUser(pool, actor, async (tx) => {
    await changeableOrganization(tx, actor, organizationId, 'delete clusters')
    const before = found(await lockCluster(tx, organizationId, id), 'cluster', id)
    if (before.deletedAt === null) {
      checkGeneration(before.sync.generation, precondition)
      await markDeleted(tx, id)
      const { name, region } = before
      await note(tx, actor, {
        action: 'deleted',
        object: clusterKey(id),
        tenant: organizationId,
        before: { name, region },
        detail: { generation: before.sync.generation + 1, name },
      })
    }
    return await visibleCluster(tx, organizationId, id)
  })
}
