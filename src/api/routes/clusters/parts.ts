import { Type } from 'typebox'
import type { Clusters, ClustersInsight } from '../../../domains/clusters/usecases/index.ts'
import { Id } from '../parts.ts'

export interface ClustersParts {
  readonly clusters: Clusters
  readonly insight: ClustersInsight
}

export const tags = ['clusters']
export const ofOrganization = Type.Object({ id: Id })
export const one = Type.Object({ id: Id, cluster_id: Id })
export const onePool = Type.Object({ id: Id, cluster_id: Id, pool_id: Id })
