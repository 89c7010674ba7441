export { openApps } from './apps.ts'
export type * from './port.ts'
export type { Room } from './deps.ts'
export type {
  DeploymentFilter,
  DeploymentRef,
  JobFilter,
  Listed,
  ListedDeployment,
  ListedJob,
  ListedUser,
  PageWish,
} from '../store/index.ts'
