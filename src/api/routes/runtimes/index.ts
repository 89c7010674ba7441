export { tellRuntimesChanges } from '../../live/runtimes.ts'
export { runtimesRoutes } from './runtimes.ts'
