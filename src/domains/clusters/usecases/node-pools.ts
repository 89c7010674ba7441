import { RefusedFields } from '../../../kernel/index.ts'
import {
  asUser,
  checkGeneration,
  found,
  refuseUnstorable,
  type Actor,
  type Precondition,
  type Tx,
} from '../../../store/index.ts'
import { deleteNodePools, insertNodePools, writeNodePool } from '../store/index.ts'
import { changeableCluster, orderingOrganization, visibleCluster } from './access.ts'
import type { ClustersDeps } from './deps.ts'
import { readFacts } from './facts.ts'
import type { ListedCluster, ListedNodePool, NodePoolChange, NodePoolInput } from './port.ts'
import { OF_ONE, poolsProblems, refuseProblems } from './problems.ts'
import { noteChange } from './update-cluster.ts'

/** The pools that a cluster is to have, and how its rows come to say so. */
interface PoolsChange {
  readonly nodePools: readonly NodePoolInput[]
  readonly what: string
  readonly write: (tx: Tx) => Promise<void>
}

export async function addNodePool(
  deps: ClustersDeps,
  actor: Actor,
  organizationId: string,
  id: string,
  pool: NodePoolInput,
  precondition: Precondition = {},
): Promise<ListedNodePool> {
  refuseUnstorable({ machine_type: pool.machineType })
  const after = await changePools(deps, actor, organizationId, id, precondition, (before) => ({
    nodePools: [...before.nodePools, pool],
    what: `node pool ${pool.name} added`,
    write: (tx) => insertNodePools(tx, before, [pool]),
  }))
  return poolOf(after, pool.name, 'name')
}

export async function updateNodePool(
  deps: ClustersDeps,
  actor: Actor,
  organizationId: string,
  id: string,
  poolId: string,
  change: NodePoolChange,
  precondition: Precondition = {},
): Promise<ListedNodePool> {
  refuseUnstorable({ machine_type: change.machineType })
  const after = await changePools(deps, actor, organizationId, id, precondition, (before) => {
    const was = poolOf(before, poolId)
    const pool = {
      ...was,
      machineType: change.machineType ?? was.machineType,
      autoscaleMin: change.autoscaleMin ?? was.autoscaleMin,
      autoscaleMax: change.autoscaleMax ?? was.autoscaleMax,
    }
    return {
      nodePools: before.nodePools.map((other) => (other.id === poolId ? pool : other)),
      what: `node pool ${was.name} changed`,
      write: (tx) => writeNodePool(tx, pool),
    }
  })
  return poolOf(after, poolId)
}

export async function removeNodePool(
  deps: ClustersDeps,
  actor: Actor,
  organizationId: string,
  id: string,
  poolId: string,
  precondition: Precondition = {},
): Promise<Pick<ListedNodePool, 'generation'>> {
  const { sync } = await changePools(deps, actor, organizationId, id, precondition, (before) => {
    const gone = poolOf(before, poolId)
    if (before.nodePools.length === 1) {
      const message = `is the last one of cluster ${before.name}, which needs at least one; add another one first`
      throw new RefusedFields([{ field: 'pool_id', message }])
    }
    return {
      nodePools: before.nodePools.filter(({ id: other }) => other !== poolId),
      what: `node pool ${gone.name} removed`,
      write: (tx) => deleteNodePools(tx, [poolId]),
    }
  })
  return { generation: sync.generation }
}

function poolOf({ nodePools, sync }: ListedCluster, named: string, by: 'id' | 'name' = 'id'): ListedNodePool {
  const pool = found(
    nodePools.find((one) => one[by] === named),
    'node pool',
    named,
  )
  return { ...pool, generation: sync.generation }
}

async function changePools(
  { pool }: ClustersDeps,
  actor: Actor,
  organizationId: string,
  id: string,
  precondition: Precondition,
  change: (before: ListedCluster) => PoolsChange,
): Promise<ListedCluster> {
  return await asUser(pool, actor, async (tx) => {
    const organization = await orderingOrganization(tx, actor, organizationId, 'change clusters')
    const before = await changeableCluster(tx, organizationId, id)
    checkGeneration(before.sync.generation, precondition)
    const { nodePools, what, write } = change(before)
    refuseProblems(poolsProblems(await readFacts(tx, organization, undefined), before, nodePools, OF_ONE))
    await write(tx)
    const after = await visibleCluster(tx, organizationId, id)
    if (after.sync.generation !== before.sync.generation) await noteChange(tx, actor, before, after, [what])
    return after
  })
}
