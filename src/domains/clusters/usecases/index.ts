export { openClusters } from './clusters.ts'
export type { ClustersDeps } from './deps.ts'
export type * from './port.ts'
export type { NodePool, OrganizationLimits, ShootSummary } from '../types.ts'
