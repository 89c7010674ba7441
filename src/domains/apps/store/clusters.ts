import type { Pool, Tx } from '../../../store/index.ts'

/** The clusters that deployments are in of which something may be left; `pool` acts as `caelus_worker`. */
export async function clustersInUse(pool: Pool): Promise<readonly string[]> {
  const rows = await pool.query<{ id: string }>(
    `select distinct cluster_id as id from caelus.deployment where cluster_id is not null and status <> 'deleted'`,
  )
  return rows.map(({ id }) => id)
}

export interface ClusterDeployment {
  readonly id: string
  readonly userId: string
  readonly deploymentUid: string
  readonly isDeleted: boolean
}

/** Those in the cluster of which something may be left, by name. */
export async function deploymentsIn(tx: Tx, clusterId: string): Promise<readonly ClusterDeployment[]> {
  return await tx.query<ClusterDeployment>(
    `select id, user_id as "userId", deployment_uid as "deploymentUid", deleted_at is not null as "isDeleted"
     from caelus.deployment where cluster_id = $1 and status <> 'deleted' order by deployment_uid`,
    [clusterId],
  )
}
