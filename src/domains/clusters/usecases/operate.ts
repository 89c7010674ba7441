import { randomUUID } from 'node:crypto'
import { asUser, found, note, PLATFORM, type Actor } from '../../../store/index.ts'
import { clusterKey } from '../queue.ts'
import { insertRequest, lockCluster, writeOperation } from '../store/index.ts'
import type { OperationKind } from '../types.ts'
import { changeableCluster, changeableOrganization, visibleCluster } from './access.ts'
import type { ClustersDeps } from './deps.ts'
import type { ListedCluster } from './port.ts'

/** What can be asked for while a cluster is being deleted. */
const OF_DELETION: ReadonlySet<OperationKind> = new Set(['retry', 'reconcile'])

/** The worker asks Gardener for it once. */
export function operateCluster(
  { pool, clock }: ClustersDeps,
  actor: Actor,
  organizationId: string,
  id: string,
  kind: OperationKind,
): Promise<ListedCluster> {
  return asUser(pool, actor, async (tx) => {
    await changeableOrganization(tx, actor, organizationId, 'operate clusters')
    if (OF_DELETION.has(kind)) found(await lockCluster(tx, organizationId, id), 'cluster', id)
    else await changeableCluster(tx, organizationId, id)
    await writeOperation(tx, id, { id: randomUUID(), kind, requestedAt: clock.now() })
    await note(tx, actor, { action: 'operation', object: clusterKey(id), tenant: organizationId, detail: { kind } })
    return await visibleCluster(tx, organizationId, id)
  })
}

/** Also while it is being deleted: a worker looks at it now, whatever it waited for. */
export function syncCluster(
  { pool, queue }: ClustersDeps,
  actor: Actor,
  organizationId: string,
  id: string,
): Promise<ListedCluster> {
  return asUser(pool, actor, async (tx) => {
    await changeableOrganization(tx, actor, organizationId, 'sync clusters')
    const cluster = found(await lockCluster(tx, organizationId, id), 'cluster', id)
    await queue.wakeIn(tx, { key: clusterKey(id), wake: { reason: 'changed', tenant: organizationId } })
    await insertRequest(tx, cluster, actor.userId ?? PLATFORM, 'asked for by hand')
    await note(tx, actor, { action: 'enqueued', object: clusterKey(id), tenant: organizationId })
    return await visibleCluster(tx, organizationId, id)
  })
}
