/** Used by `caelus up` and other commands of a checkout. They load it on demand, because a release has no tools. */
export { obtainBinaries } from './binaries/index.ts'
export { buildConsole } from './release/build-console.ts'
export {
  controlPlaneDown,
  controlPlaneKubeconfig,
  controlPlaneStatus,
  controlPlaneUp,
  ensureControlPlane,
} from './control-plane/index.ts'
export { startGarden } from './garden/index.ts'
export { removePostgresData, startPostgres } from './postgres/postgres.ts'
export { lock, LockHeld } from './process/index.ts'
export { progressLine } from './progress.ts'
