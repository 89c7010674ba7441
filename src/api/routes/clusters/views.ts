import type {
  ClusterPreview,
  Landscape,
  LimitsAndUsage,
  ListedApp,
  ListedCluster,
  ListedEvent,
  ListedNodePool,
  NodePool,
  ShootSummary,
  VersionUpgrade,
} from '../../../domains/clusters/usecases/index.ts'
import type {
  ClusterAppView,
  ClusterEventView,
  ClusterPreviewView,
  ClusterVersionsView,
  ClusterView,
  LandscapeView,
  NodePoolOfClusterView,
  NodePoolView,
  OrganizationLimitsView,
  ShootView,
  DeploymentStatus,
} from '../../contract/index.ts'
import { failureView, maybeTimeView, timeView } from '../parts.ts'

export const poolView = ({ id, name, machineType, autoscaleMin, autoscaleMax }: NodePool): NodePoolView => ({
  id,
  name,
  machine_type: machineType,
  autoscale_min: autoscaleMin,
  autoscale_max: autoscaleMax,
})

export const poolOfClusterView = ({ generation, ...pool }: ListedNodePool): NodePoolOfClusterView => ({
  ...poolView(pool),
  generation,
})

export const clusterView = (cluster: ListedCluster): ClusterView => {
  const { sync, maintenance, operation } = cluster
  return {
    id: cluster.id,
    organization_id: cluster.organizationId,
    organization: cluster.organizationName,
    name: cluster.name,
    region: cluster.region,
    kubernetes_version: cluster.kubernetesVersion,
    hibernated: cluster.isHibernated,
    maintenance: maintenance && {
      begin: maintenance.begin,
      end: maintenance.end,
      update_kubernetes: maintenance.updateKubernetes,
      update_machine_image: maintenance.updateMachineImage,
    },
    node_pools: cluster.nodePools.map(poolView),
    generation: sync.generation,
    synced_generation: sync.syncedGeneration,
    status: sync.status,
    status_message: sync.statusMessage,
    status_failure: sync.statusFailure && failureView(sync.statusFailure),
    status_changed_at: timeView(sync.statusChangedAt),
    status_as_of: maybeTimeView(cluster.statusAsOf),
    synced_at: maybeTimeView(sync.syncedAt),
    sync_failure: sync.failure && failureView(sync.failure),
    sync_attempts: sync.attempts,
    next_sync_at: maybeTimeView(cluster.nextSyncAt),
    operation: operation && {
      kind: operation.kind,
      requested_at: timeView(operation.requestedAt),
      pending: operation.id !== sync.closedOperation,
    },
    shoot: sync.shoot && shootView(sync.shoot),
    created_at: timeView(cluster.createdAt),
    deleting_since: maybeTimeView(cluster.deletedAt),
  }
}

const shootView = ({ operation, conditions, errors, rotation, ...shoot }: ShootSummary): ShootView => ({
  namespace: shoot.namespace,
  name: shoot.name,
  kubernetes_version: shoot.kubernetesVersion,
  hibernated: shoot.isHibernated,
  operation: operation && {
    type: operation.type,
    state: operation.state,
    progress: operation.progress,
    description: operation.description,
    updated_at: maybeTimeView(operation.updatedAt),
  },
  conditions: conditions.map(({ type, status, reason, message, since }) => ({
    type,
    status,
    reason,
    message,
    since: maybeTimeView(since),
  })),
  errors: errors.map(({ description, codes }) => ({ description, codes: [...codes] })),
  rotation: { ...rotation },
})

export const eventView = ({ createdAt, ...event }: ListedEvent): ClusterEventView => ({
  ...event,
  created_at: timeView(createdAt),
})

export const appView = ({ name, owner, status, statusSince, deployment }: ListedApp): ClusterAppView => ({
  name,
  owner,
  status: status as DeploymentStatus,
  status_since: timeView(statusSince),
  deployment: deployment && { id: deployment.id, user_id: deployment.userId },
})

export const previewView = (preview: ClusterPreview): ClusterPreviewView => ({
  accepted: preview.accepted,
  problems: preview.problems.map(({ supported, failure, ...problem }) => ({
    ...problem,
    supported: supported && [...supported],
    failure: failureView(failure),
  })),
  fields: preview.fields.map((field) => ({ ...field })),
  node_pools: preview.nodePools.map(({ name, change, rolls, machinesMin, machinesMax, machinesDuringRoll }) => ({
    name,
    change,
    rolls,
    machines_min: machinesMin,
    machines_max: machinesMax,
    machines_during_roll: machinesDuringRoll,
  })),
  limits: preview.limits,
  not_consulted: [...preview.notConsulted],
})

export const versionsView = ({
  current,
  upgrades,
}: {
  readonly current: string
  readonly upgrades: readonly VersionUpgrade[]
}): ClusterVersionsView => ({
  current,
  upgrades: upgrades.map(({ version, kind, classification, expiresAt, changes }) => ({
    version,
    kind,
    classification,
    expires_at: maybeTimeView(expiresAt),
    changes: [...changes],
  })),
})

export const limitsView = (limits: LimitsAndUsage): OrganizationLimitsView => ({
  max_clusters: limits.maxClusters,
  max_nodes: limits.maxNodes,
  regions: limits.regions && [...limits.regions],
  machine_types: limits.machineTypes && [...limits.machineTypes],
  clusters: limits.clusters,
  nodes: limits.nodes,
  generation: limits.generation,
})

/** Machine types that cannot be used now are not listed. */
export const landscapeView = ({ mode, regions, versions, machineTypes, limits }: Landscape): LandscapeView => ({
  mode,
  regions: regions.map((name) => ({ name, allowed: limits?.regions?.includes(name) ?? true })),
  versions: versions.map(({ version, classification, expiresAt }) => ({
    version,
    classification,
    expires_at: maybeTimeView(expiresAt),
  })),
  machine_types: machineTypes
    .filter(({ isUsable }) => isUsable)
    .map(({ name, cpu, gpu, memory }) => ({
      name,
      cpu,
      gpu,
      memory,
      allowed: limits?.machineTypes?.includes(name) ?? true,
    })),
})
