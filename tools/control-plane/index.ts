export { startControlPlane } from './control-plane.ts'
export type { ControlPlane, ControlPlaneOptions, Extensible } from './control-plane.ts'
export { createAuthority, type Certified } from './certificate.ts'
export { ETCD_SOCKET, type ComponentName } from './components.ts'
export {
  controlPlaneDown,
  controlPlaneKubeconfig,
  controlPlaneStatus,
  controlPlaneUp,
  ensureControlPlane,
} from './lifecycle.ts'
export type { ControlPlaneStatus, DownOptions, RunningControlPlane } from './lifecycle.ts'
