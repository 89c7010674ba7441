/** What `caelus up` and the commands of a checkout use. The published image has no tools, so it is loaded on demand. */
export { obtainBinaries } from './binaries/index.ts'
export { buildConsole } from './release/build-console.ts'
export {
  controlPlaneDown,
  controlPlaneKubeconfig,
  controlPlaneStatus,
  controlPlaneUp,
  ensureControlPlane,
} from './control-plane/index.ts'
export { removePostgresData, startPostgres } from './postgres/postgres.ts'
export { lock, LockHeld } from './process/index.ts'
export { progressLine } from './progress.ts'
