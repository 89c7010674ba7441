export type { User } from './rbac.ts'
export { FakeCluster, type FakeClusterOptions } from './server.ts'
