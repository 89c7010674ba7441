import type { Service, TargetLocks } from '../../../kernel/index.ts'
import type { EndingKubeconfig, KubeConfig, Transport } from '../../../kube/index.ts'
import type { Helm, Releases } from '../helm/port.ts'

/** How the clusters of organizations are reached; the domain of clusters implements it. */
export interface ClusterAccess {
  /**
   * A kubeconfig of an administrator, which ends soon. Throws a failure that says why there is none at present. `undefined`:
   * the cluster and everything that was in it are gone for good.
   */
  kubeconfig(clusterId: string, signal: AbortSignal): Promise<EndingKubeconfig | undefined>
}

/** A control plane that was connected to, and what has to run while it is used. */
export interface Opened<T> {
  readonly target: T
  readonly services: readonly Service[]
  /** Resolves once the API server has answered. */
  probe(signal: AbortSignal): Promise<unknown>
  close(): Promise<void>
}

export type OpenCluster<T> = (clusterId: string, config: KubeConfig) => Opened<T>

/** What the API server of a cluster is used with. */
export interface ClusterConnection {
  readonly transport: Transport
  readonly helm: Helm
  readonly releases: Releases
  readonly locks: TargetLocks
  /** To be started before anything else is done in the cluster. */
  readonly services: readonly Service[]
  close(): Promise<void>
}

/** The clusters of organizations, for a worker. */
export interface Clusters {
  readonly access: ClusterAccess
  readonly connect: (clusterId: string, config: KubeConfig) => ClusterConnection
  /** Those that deployments are in of which something may be left. */
  readonly inUse: () => Promise<readonly string[]>
}
