import type { FailureError } from '../../../kernel/index.ts'
import { asUser, checkGeneration, found, note, type Actor } from '../../../store/index.ts'
import { clusterKey } from '../queue.ts'
import { lockCluster, markDeleted } from '../store/index.ts'
import { changeableOrganization, visibleCluster } from './access.ts'
import type { ClustersDeps } from './deps.ts'
import { raise } from '../failures.ts'
import type { DeleteOptions, ListedCluster } from './port.ts'

/** More are counted. */
const NAMED = 10

/** The row stays: its state tells what is left of the cluster. Deleting it again changes nothing. */
export function deleteCluster(
  { pool, apps }: ClustersDeps,
  actor: Actor,
  organizationId: string,
  id: string,
  { withApps = false, ...precondition }: DeleteOptions = {},
): Promise<ListedCluster> {
  return asUser(pool, actor, async (tx) => {
    await changeableOrganization(tx, actor, organizationId, 'delete clusters')
    const before = found(await lockCluster(tx, organizationId, id), 'cluster', id)
    if (before.deletedAt === null) {
      checkGeneration(before.sync.generation, precondition)
      const named = (await apps?.of(tx, id)) ?? []
      if (named.length > 0 && !withApps) throw inUse(before.name, named)
      if (named.length > 0) await apps?.removeAll(tx, actor, id)
      await markDeleted(tx, id)
      const { name, region } = before
      await note(tx, actor, {
        action: 'deleted',
        object: clusterKey(id),
        tenant: organizationId,
        before: { name, region },
        detail: { generation: before.sync.generation + 1, name, ...(named.length > 0 && { apps: named.length }) },
      })
    }
    return await visibleCluster(tx, organizationId, id)
  })
}

function inUse(cluster: string, named: readonly string[]): FailureError {
  const rest = named.length > NAMED ? ` and ${named.length - NAMED} more` : ''
  return raise.ClusterInUse(`cluster ${cluster} has apps in it: ${named.slice(0, NAMED).join(', ')}${rest}`)
}
