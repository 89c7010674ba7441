import {
  listed,
  markOf,
  msOf,
  timeMark,
  type Listed,
  type PageOptions,
  type Pool,
  type Runner,
  type Tx,
} from '../../../store/index.ts'
import type { DeploymentStatus } from '../types.ts'

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

/** As much as everyone may know who sees the cluster that it is in. */
export interface SeenInCluster {
  readonly id: string
  readonly userId: string
  readonly name: string
  readonly status: DeploymentStatus
  readonly statusSince: number
}

interface SeenRow extends Omit<SeenInCluster, 'statusSince'> {
  readonly statusSince: Date
  readonly createdAt: Date
}

/** Those of which something may be left, newest first. */
export async function listInCluster(
  on: Runner,
  clusterId: string,
  { limit, after }: PageOptions,
): Promise<Listed<SeenInCluster>> {
  const rows = await on.query<SeenRow>(
    `select id, user_id as "userId", deployment_uid as name, status, status_since as "statusSince", created_at as "createdAt"
     from caelus.deployment
     where cluster_id = $2 and status <> 'deleted' and ($3::timestamptz is null or (created_at, id) < ($3, $4::uuid))
     order by created_at desc, id desc limit $1`,
    [limit + 1, clusterId, ...timeMark(after)],
  )
  const { items, next } = listed(rows, limit, ({ createdAt, id }) => [markOf(msOf(createdAt)), id])
  const seen = ({ id, userId, name, status, statusSince }: SeenRow): SeenInCluster => ({
    id,
    userId,
    name,
    status,
    statusSince: msOf(statusSince),
  })
  return { items: items.map(seen), next }
}
