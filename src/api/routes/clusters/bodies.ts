import type {
  ClusterChange,
  ClusterInput,
  NodePoolChange,
  NodePoolInput,
  OrganizationLimits,
} from '../../../domains/clusters/usecases/index.ts'
import type {
  ClusterCreate,
  ClusterPatch,
  MaintenanceWindow,
  NodePoolCreate,
  NodePoolPatch,
  OrganizationLimitsPut,
} from '../../contract/index.ts'

/* What the bodies of requests ask for, in the words of the domain. */

export const poolIn = (body: NodePoolCreate): NodePoolInput => ({
  name: body.name,
  machineType: body.machine_type,
  autoscaleMin: body.autoscale_min,
  autoscaleMax: body.autoscale_max,
})

export const poolChangeIn = (body: NodePoolPatch): NodePoolChange => ({
  machineType: body.machine_type,
  autoscaleMin: body.autoscale_min,
  autoscaleMax: body.autoscale_max,
})

const maintenanceIn = (body: MaintenanceWindow) => ({
  begin: body.begin,
  end: body.end,
  updateKubernetes: body.update_kubernetes,
  updateMachineImage: body.update_machine_image,
})

export const inputIn = (body: ClusterCreate): ClusterInput => ({
  name: body.name,
  region: body.region,
  kubernetesVersion: body.kubernetes_version,
  nodePools: body.node_pools.map(poolIn),
  maintenance: body.maintenance && maintenanceIn(body.maintenance),
})

export const changeIn = (body: ClusterPatch): ClusterChange => ({
  name: body.name,
  region: body.region,
  kubernetesVersion: body.kubernetes_version,
  isHibernated: body.hibernated,
  nodePools: body.node_pools?.map(poolIn),
  maintenance: body.maintenance && maintenanceIn(body.maintenance),
})

export const limitsIn = (body: OrganizationLimitsPut): OrganizationLimits => ({
  maxClusters: body.max_clusters ?? null,
  maxNodes: body.max_nodes ?? null,
  regions: body.regions ?? null,
  machineTypes: body.machine_types ?? null,
})
