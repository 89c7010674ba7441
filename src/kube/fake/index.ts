export type { User } from './rbac.ts'
export { FakeKubernetes, type FakeKubernetesOptions } from './server.ts'
