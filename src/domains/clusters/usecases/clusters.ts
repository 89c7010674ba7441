import type { Actor } from '../../../store/index.ts'
import { createCluster } from './create-cluster.ts'
import { deleteCluster } from './delete-cluster.ts'
import type { ClustersDeps } from './deps.ts'
import { noteKubeconfig } from './kubeconfig.ts'
import { getLimits, setLimits } from './limits.ts'
import { addNodePool, removeNodePool, updateNodePool } from './node-pools.ts'
import { operateCluster, syncCluster } from './operate.ts'
import type { Clusters } from './port.ts'
import { findCluster, getCluster, listApps, listClusters, listEvents } from './read.ts'
import { updateCluster } from './update-cluster.ts'

const CASES = {
  listClusters,
  getCluster,
  findCluster,
  createCluster,
  updateCluster,
  deleteCluster,
  operateCluster,
  syncCluster,
  listEvents,
  listApps,
  addNodePool,
  updateNodePool,
  removeNodePool,
  getLimits,
  setLimits,
  noteKubeconfig,
} satisfies {
  readonly [Verb in keyof Clusters]: (
    deps: ClustersDeps,
    ...rest: Parameters<Clusters[Verb]>
  ) => ReturnType<Clusters[Verb]>
}

type Case = (deps: ClustersDeps, actor: Actor, ...rest: never[]) => unknown

/** The use cases, with everything they need at hand. */
export const openClusters = (deps: ClustersDeps): Clusters =>
  Object.fromEntries(
    Object.entries(CASES).map(([name, run]) => [
      name,
      (actor: Actor, ...rest: never[]) => (run as Case)(deps, actor, ...rest),
    ]),
  ) as unknown as Clusters
