export { openApps } from './apps.ts'
export type * from './port.ts'
export type { UseCaseDeps } from './deps.ts'
export type {
  DeploymentFilter,
  DeploymentRef,
  JobFilter,
  Listed,
  ListedDeployment,
  ListedJob,
  ListedUser,
  PageOptions,
} from '../store/index.ts'
