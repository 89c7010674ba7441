import { msOf, msOrNull } from '../../../store/index.ts'
import type { Failure } from '../../../kernel/index.ts'
import type { LoadedCluster } from '../rows.ts'
import type { Cluster, Maintenance, NodePool, Operation, OperationKind, ShootStatus, ShootSummary } from '../types.ts'

export interface ClusterRow {
  readonly id: string
  readonly organization_id: string
  readonly name: string
  readonly region: string
  readonly kubernetes_version: string
  readonly is_hibernated: boolean
  readonly maintenance: MaintenanceColumn | null
  readonly operation: OperationColumn | null
  readonly created: Date
  readonly deleted: Date | null
  readonly node_pools: readonly NodePool[]
  readonly generation: string
  readonly synced_generation: string
  readonly synced: Date | null
  readonly sync_failure: Failure | null
  readonly sync_attempts: number
  readonly sync_last_attempt: Date | null
  readonly shoot_status: ShootStatus
  readonly shoot_status_message: string | null
  readonly shoot_status_failure: Failure | null
  readonly shoot_status_updated: Date
  readonly shoot: ShootSummary | null
  readonly shoot_retries: number
  readonly closed_operation: string | null
  readonly apps_left?: number
}

interface MaintenanceColumn {
  readonly begin: string
  readonly end: string
  readonly update_kubernetes: boolean
  readonly update_machine_image: boolean
}

interface OperationColumn {
  readonly id: string
  readonly kind: OperationKind
  readonly requested_at: number
}

/** A cluster `c` with its state `s` and its node pools, oldest first. */
export const CLUSTER_COLUMNS = `c.id, c.organization_id, c.name, c.region, c.kubernetes_version, c.is_hibernated, c.maintenance,
  c.operation, c.created, c.deleted, s.generation, s.synced_generation, s.synced, s.sync_failure, s.sync_attempts,
  s.sync_last_attempt, s.shoot_status, s.shoot_status_message, s.shoot_status_failure, s.shoot_status_updated, s.shoot,
  s.shoot_retries, s.closed_operation,
  (select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'name', p.name, 'machineType', p.machine_type,
     'autoscaleMin', p.autoscale_min, 'autoscaleMax', p.autoscale_max) order by p.created, p.name), '[]')
   from tenant.node_pools p where p.cluster_id = c.id) as node_pools`

export const FROM_CLUSTERS = 'from tenant.clusters c join tenant.cluster_sync s on s.cluster_id = c.id'

/** For the worker, which asks when it is to remove the cluster `c`. */
export const APPS_LEFT = `case when c.deleted is null then 0 else tenant.cluster_apps_left(c.id) end as apps_left`

/** Something of the cluster `c` with the state `s` may exist. */
export const IS_LEFT = `(c.deleted is null or s.shoot_status <> 'deleted')`

export const loadedOf = (row: ClusterRow): LoadedCluster => ({
  cluster: clusterOf(row),
  sync: {
    generation: Number(row.generation),
    syncedGeneration: Number(row.synced_generation),
    syncedAt: msOrNull(row.synced),
    failure: row.sync_failure,
    attempts: row.sync_attempts,
    lastAttemptAt: msOrNull(row.sync_last_attempt),
    status: row.shoot_status,
    statusMessage: row.shoot_status_message,
    statusFailure: row.shoot_status_failure,
    statusChangedAt: msOf(row.shoot_status_updated),
    shoot: row.shoot,
    retries: row.shoot_retries,
    closedOperation: row.closed_operation,
  },
  ...(row.apps_left !== undefined && { appsLeft: row.apps_left }),
})

const clusterOf = (row: ClusterRow): Cluster => ({
  id: row.id,
  organizationId: row.organization_id,
  name: row.name,
  region: row.region,
  kubernetesVersion: row.kubernetes_version,
  isHibernated: row.is_hibernated,
  maintenance: row.maintenance && maintenanceOf(row.maintenance),
  operation: row.operation && operationOf(row.operation),
  nodePools: row.node_pools,
  createdAt: msOf(row.created),
  deletedAt: msOrNull(row.deleted),
})

const maintenanceOf = (column: MaintenanceColumn): Maintenance => ({
  begin: column.begin,
  end: column.end,
  updateKubernetes: column.update_kubernetes,
  updateMachineImage: column.update_machine_image,
})

export const maintenanceColumn = (maintenance: Maintenance): MaintenanceColumn => ({
  begin: maintenance.begin,
  end: maintenance.end,
  update_kubernetes: maintenance.updateKubernetes,
  update_machine_image: maintenance.updateMachineImage,
})

const operationOf = ({ id, kind, requested_at }: OperationColumn): Operation => ({
  id,
  kind,
  requestedAt: requested_at,
})

export const operationColumn = ({ id, kind, requestedAt }: Operation): OperationColumn => ({
  id,
  kind,
  requested_at: requestedAt,
})
