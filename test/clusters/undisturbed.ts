import type { Maintenance } from '../../src/domains/clusters/types.ts'
import { windowFarFrom } from '../../tools/garden/example-shoot.ts'

/** For clusters on a real Gardener, which it would otherwise reconcile by itself where the window that it chose has begun. */
export const UNDISTURBED: Maintenance = {
  ...windowFarFrom(new Date()),
  updateKubernetes: false,
  updateMachineImage: false,
}
