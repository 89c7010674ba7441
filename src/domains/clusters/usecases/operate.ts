import { randomUUID } from 'node:crypto'
import { asUser, found, note, PLATFORM, type Actor } from '../../../store/index.ts'
import { isOperationOpen, OPERATION_LIFE_MS } from '../decide.ts'
import { raise } from '../failures.ts'
import { clusterKey } from '../queue.ts'
import { insertRequest, lockCluster, writeOperation } from '../store/index.ts'
import { OPERATIONS_OF_DELETION, type OperationKind } from '../types.ts'
import { changeableCluster, changeableOrganization, visibleCluster } from './access.ts'
import type { ClustersDeps } from './deps.ts'
import type { ListedCluster } from './port.ts'

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
    const cluster = OPERATIONS_OF_DELETION.has(kind)
      ? found(await lockCluster(tx, organizationId, id), 'cluster', id)
      : await changeableCluster(tx, organizationId, id)
    if (cluster.sync.status === 'deleted') throw raise.ClusterBeingDeleted(`cluster ${cluster.name} was deleted`)
    if (!OPERATIONS_OF_DELETION.has(kind)) refuseUntimely(kind, cluster)
    refuseWhilePending(kind, cluster, clock.now())
    await writeOperation(tx, id, { id: randomUUID(), kind, requestedAt: clock.now() })
    await note(tx, actor, { action: 'operation', object: clusterKey(id), tenant: organizationId, detail: { kind } })
    return await visibleCluster(tx, organizationId, id)
  })
}

/**
 * A row has one operation: a second one would replace the first before Gardener was asked for it. Where Gardener gave up, it
 * takes up nothing but a retry, so that a retry may replace what waits for it.
 */
function refuseWhilePending(kind: OperationKind, { name, operation, sync }: ListedCluster, now: number): void {
  if (!isOperationOpen(operation, sync, now)) return
  const isAwaited = kind === 'retry' && operation.kind !== 'retry' && sync.shoot?.operation?.state === 'Failed'
  if (isAwaited) return
  const until = new Date(operation.requestedAt + OPERATION_LIFE_MS).toISOString()
  throw raise.OperationPending(
    `Gardener was not asked for ${operation.kind} of cluster ${name} yet; it is dropped if that is not possible until ${until}`,
  )
}

/** What both steps of a rotation go through; the key of etcd completes itself. */
const ROTATED = ['certificateAuthorities', 'serviceAccountKey'] as const

/**
 * A step of a rotation that Gardener would refuse, or take and forget. Told at once: the worker would ask for it again and
 * again for an hour.
 */
function refuseUntimely(kind: OperationKind, { name, sync: { shoot } }: ListedCluster): void {
  const { operation = null, rotation = {} } = shoot ?? {}
  if (operation === null || (operation.type === 'Create' && operation.state !== 'Succeeded'))
    throw raise.ClusterNotReady(`cluster ${name} is not created yet, and has no credentials to rotate`)
  if (operation.state === 'Failed')
    throw raise.RetryNeeded(`Gardener gave up the last operation of cluster ${name}, and does nothing before a retry`)
  const phases = Object.entries(rotation).map(([part, phase]) => `${part} is ${phase}`)
  const isStarted = Object.values(rotation).some((phase) => phase !== 'Completed')
  if (kind === 'rotate-credentials-start' && isStarted)
    throw raise.RotationNotDue(`a rotation of the credentials of cluster ${name} is under way: ${phases.join(', ')}`)
  if (kind === 'rotate-credentials-complete' && !ROTATED.every((part) => rotation[part] === 'Prepared'))
    throw raise.RotationNotDue(
      isStarted
        ? `the rotation of the credentials of cluster ${name} is not prepared yet: ${phases.join(', ')}`
        : `no rotation of the credentials of cluster ${name} was started`,
    )
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
