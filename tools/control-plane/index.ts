export { startControlPlane } from './control-plane.ts'
export type { ControlPlane, ControlPlaneOptions } from './control-plane.ts'
export type { ComponentName } from './components.ts'
export {
  controlPlaneDown,
  controlPlaneKubeconfig,
  controlPlaneStatus,
  controlPlaneUp,
  ensureControlPlane,
} from './lifecycle.ts'
export type { ControlPlaneStatus, DownOptions, RunningControlPlane } from './lifecycle.ts'
