import type { Runner, Tx } from '../../../store/index.ts'
import type { OrganizationLimits } from '../types.ts'
import { FROM_CLUSTERS, IS_LEFT } from './columns.ts'

export interface StoredLimits extends OrganizationLimits {
  /** 0: never set. */
  readonly generation: number
}

export interface ClusterUsage {
  /** Of which something is left. */
  readonly clusters: number
  /** By the maximum of their pools. */
  readonly nodes: number
}

interface LimitsRow {
  readonly max_clusters: number | null
  readonly max_nodes: number | null
  readonly regions: readonly string[] | null
  readonly machine_types: readonly string[] | null
  readonly generation: string
}

/**
 * Orders of an organization take turns until the transaction ends, so that two at once cannot exceed its limits. False: it was
 * deleted, or is hidden from the caller.
 */
export async function lockOrders(tx: Tx, organizationId: string): Promise<boolean> {
  const [row] = await tx.query<{ is_there: boolean }>('select tenant.lock_orders($1) as is_there', [organizationId])
  return row?.is_there ?? false
}

export async function findLimits(on: Runner, organizationId: string): Promise<StoredLimits> {
  const [row] = await on.query<LimitsRow>(
    `select max_clusters, max_nodes, regions, machine_types, generation
     from tenant.organization_limits where organization_id = $1`,
    [organizationId],
  )
  return {
    maxClusters: row?.max_clusters ?? null,
    maxNodes: row?.max_nodes ?? null,
    regions: row?.regions ?? null,
    machineTypes: row?.machine_types ?? null,
    generation: Number(row?.generation ?? 0),
  }
}

/** The next generation. */
export async function writeLimits(tx: Tx, organizationId: string, limits: OrganizationLimits): Promise<void> {
  await tx.query(
    `insert into tenant.organization_limits as l (organization_id, max_clusters, max_nodes, regions, machine_types)
     values ($1, $2, $3, $4, $5)
     on conflict (organization_id) do update set max_clusters = excluded.max_clusters, max_nodes = excluded.max_nodes,
       regions = excluded.regions, machine_types = excluded.machine_types, generation = l.generation + 1`,
    [organizationId, limits.maxClusters, limits.maxNodes, limits.regions, limits.machineTypes],
  )
}

export async function countUsage(on: Runner, organizationId: string): Promise<ClusterUsage> {
  const [row] = await on.query<ClusterUsage>(
    `select count(*)::int as clusters, coalesce(sum(pools.nodes), 0)::float8 as nodes
     ${FROM_CLUSTERS}
     left join lateral (select sum(autoscale_max) as nodes from tenant.node_pools p where p.cluster_id = c.id) pools on true
     where c.organization_id = $1 and ${IS_LEFT}`,
    [organizationId],
  )
  return row ?? { clusters: 0, nodes: 0 }
}
