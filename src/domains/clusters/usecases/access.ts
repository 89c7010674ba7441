import { refuse } from '../../../kernel/index.ts'
import { found, type Actor, type Tx } from '../../../store/index.ts'
import { raise } from '../failures.ts'
import { findCluster, findOrganization, lockCluster, lockOrders, type SeenOrganization } from '../store/index.ts'
import type { ListedCluster } from './port.ts'

/** `NotFound` for those who do not belong to the organization. */
export async function visibleOrganization(tx: Tx, id: string): Promise<SeenOrganization> {
  return found(await findOrganization(tx, id), 'organization', id)
}

/** `NotFound` for those who do not belong to the organization, `NotAllowed` for its viewers. */
export async function changeableOrganization(
  tx: Tx,
  actor: Actor,
  id: string,
  toDo: string,
): Promise<SeenOrganization> {
  const organization = await visibleOrganization(tx, id)
  const { role, name } = organization
  if (!actor.admin && role !== 'owner' && role !== 'member') {
    throw refuse.NotAllowed(`only owners and members of ${name} may ${toDo}; you are a viewer`)
  }
  return organization
}

/** As `changeableOrganization`; its orders take turns until the transaction ends. */
export async function orderingOrganization(tx: Tx, actor: Actor, id: string, toDo: string): Promise<SeenOrganization> {
  const organization = await changeableOrganization(tx, actor, id, toDo)
  return found((await lockOrders(tx, id)) ? organization : undefined, 'organization', id)
}

/** `organizationId` absent: of whichever organization. */
export async function visibleCluster(tx: Tx, organizationId: string | undefined, id: string): Promise<ListedCluster> {
  return found(await findCluster(tx, organizationId, id), 'cluster', id)
}

/** Held until the transaction ends, and not being deleted. */
export async function changeableCluster(tx: Tx, organizationId: string, id: string): Promise<ListedCluster> {
  const cluster = found(await lockCluster(tx, organizationId, id), 'cluster', id)
  if (cluster.deletedAt !== null) throw raise.ClusterBeingDeleted(`cluster ${cluster.name} is being deleted`)
  return cluster
}
