import type { Routes } from '../../app.ts'
import { clusterRoutes } from './clusters.ts'
import { clusterInsightRoutes } from './insight.ts'
import { limitRoutes } from './limits.ts'
import { nodePoolRoutes } from './node-pools.ts'
import type { ClustersParts } from './parts.ts'

export { clustersChanges } from '../../live/clusters.ts'
export type { ClustersParts } from './parts.ts'

const ALL = [clusterRoutes, nodePoolRoutes, limitRoutes, clusterInsightRoutes]

/** Everything that people and programs may do with clusters. Routes parse, call and print; they do not decide. */
export const clustersRoutes =
  (parts: ClustersParts): Routes =>
  (app) => {
    for (const add of ALL) add(app, parts)
  }
