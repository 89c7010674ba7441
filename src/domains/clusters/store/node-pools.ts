import type { Tx } from '../../../store/index.ts'
import type { Cluster, NodePool } from '../types.ts'
import type { NodePoolInput } from '../usecases/port.ts'

/** Names must not be in use: callers hold the lock of the cluster. */
export async function insertNodePools(
  tx: Tx,
  { id, organizationId }: Pick<Cluster, 'id' | 'organizationId'>,
  pools: readonly NodePoolInput[],
): Promise<void> {
  await tx.query(
    `insert into tenant.node_pools (cluster_id, organization_id, name, machine_type, autoscale_min, autoscale_max)
     select $1, $2, * from unnest($3::text[], $4::text[], $5::int[], $6::int[])`,
    [
      id,
      organizationId,
      pools.map(({ name }) => name),
      pools.map(({ machineType }) => machineType),
      pools.map(({ autoscaleMin }) => autoscaleMin),
      pools.map(({ autoscaleMax }) => autoscaleMax),
    ],
  )
}

export async function writeNodePool(tx: Tx, pool: NodePool): Promise<void> {
  await tx.query(
    'update tenant.node_pools set machine_type = $2, autoscale_min = $3, autoscale_max = $4 where id = $1',
    [pool.id, pool.machineType, pool.autoscaleMin, pool.autoscaleMax],
  )
}

export async function deleteNodePools(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.query('delete from tenant.node_pools where id = any ($1::uuid[])', [ids])
}
