export { openApps } from './apps.ts'
export type * from './port.ts'
export type { UseCaseDeps, Users } from './deps.ts'
export type { DeploymentFilter, DeploymentRef, JobFilter, ListedDeployment, ListedJob } from '../store/index.ts'
