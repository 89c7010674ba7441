import { randomUUID } from 'node:crypto'
import { asUser, note, refuseUnstorable, violates, type Actor } from '../../../store/index.ts'
import { clusterKey } from '../queue.ts'
import { insertCluster, insertNodePools, NAME_INDEX } from '../store/index.ts'
import { orderingOrganization, visibleCluster } from './access.ts'
import type { ClustersDeps } from './deps.ts'
import { readFacts } from './facts.ts'
import type { ClusterChange, ClusterInput, ListedCluster } from './port.ts'
import { nameTaken, orderProblems, refuseProblems } from './problems.ts'

/** Row, word of it and wake commit together, or nothing does: triggers request the sync. */
export async function createCluster(
  { pool }: ClustersDeps,
  actor: Actor,
  organizationId: string,
  input: ClusterInput,
): Promise<ListedCluster> {
  refuseUnstorableOrder(input)
  return await asUser(pool, actor, async (tx) => {
    const organization = await orderingOrganization(tx, actor, organizationId, 'order clusters')
    refuseProblems(orderProblems(await readFacts(tx, organization, input.name), input))
    const id = randomUUID()
    await insertCluster(tx, organizationId, id, input).catch(onNameTaken(organization.name, input.name))
    await insertNodePools(tx, { id, organizationId }, input.nodePools)
    const { name, region, kubernetesVersion } = input
    await note(tx, actor, {
      action: 'created',
      object: clusterKey(id),
      tenant: organizationId,
      after: input,
      detail: { generation: 1, name, region, kubernetesVersion },
    })
    return await visibleCluster(tx, organizationId, id)
  })
}

export function refuseUnstorableOrder({ region, nodePools = [] }: ClusterChange): void {
  refuseUnstorable({
    region,
    ...Object.fromEntries(
      nodePools.map(({ machineType }, index) => [`node_pools[${index}].machine_type`, machineType]),
    ),
  })
}

/** For `catch`: tells the index's refusal in our words. */
export const onNameTaken =
  (organizationName: string, name: string) =>
  (error: unknown): never => {
    if (violates(error, NAME_INDEX)) refuseProblems([nameTaken(organizationName, name)])
    throw error
  }
