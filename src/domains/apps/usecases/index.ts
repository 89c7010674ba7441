export { openApps } from './apps.ts'
export type * from './port.ts'
export type { UseCaseDeps } from './deps.ts'
export type {
  DeploymentFilter,
  DeploymentRef,
  JobFilter,
  ListedDeployment,
  ListedJob,
  ListedUser,
} from '../store/index.ts'
