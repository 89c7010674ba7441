import type { Explanation, Failure, TimelineEntry } from '../../../kernel/index.ts'
import type { Actor, Listed, PageOptions, Precondition } from '../../../store/index.ts'
import type { Catalogue, Kubeconfig } from '../gardener/gardener.ts'
import type {
  Cluster,
  ClusterEventType,
  Maintenance,
  NodePool,
  OperationKind,
  OrganizationLimits,
  ShootStatus,
  ShootSummary,
  SyncState,
} from '../types.ts'

export interface ListedCluster extends Cluster {
  readonly organizationName: string
  readonly sync: SyncState
  /** Until when the status is known to hold; null: no worker has seen Gardener yet. */
  readonly statusAsOf: number | null
  /** When the next sync is due; null: nothing is planned. */
  readonly nextSyncAt: number | null
}

export interface ClusterFilter extends PageOptions {
  readonly organizationId?: string | undefined
  readonly status?: ShootStatus | undefined
  /** Exactly this name. */
  readonly name?: string | undefined
}

export type NodePoolInput = Omit<NodePool, 'id'>

export interface ClusterInput {
  readonly name: string
  readonly region: string
  readonly kubernetesVersion: string
  readonly nodePools: readonly NodePoolInput[]
  readonly maintenance?: Maintenance | null | undefined
}

/** Absent fields stay as they are. */
export type ClusterChange = {
  readonly [Field in keyof ClusterInput]?: ClusterInput[Field] | undefined
} & { readonly isHibernated?: boolean | undefined }

export type NodePoolChange = {
  readonly [Field in keyof Omit<NodePoolInput, 'name'>]?: NodePoolInput[Field] | undefined
}

/** With the generation of its cluster: node pools have none of their own. */
export interface ListedNodePool extends NodePool {
  readonly generation: number
}

export interface ListedEvent {
  readonly id: string
  readonly type: ClusterEventType
  /** The email of a user, `platform`, or the name of a worker. */
  readonly actor: string
  readonly message: string | null
  readonly attempt: number | null
  readonly createdAt: number
}

/** An app in a cluster, as its reader may see it. */
export interface ListedApp {
  readonly name: string
  /** The email of its user; null: somebody who does not belong to the organization any more. */
  readonly owner: string | null
  readonly status: string
  readonly statusSince: number
  /** How to find it; null: it belongs to somebody else. */
  readonly deployment: { readonly id: string; readonly userId: string } | null
}

export interface PreviewProblem {
  /** As in the API: `node_pools[0].machine_type`. */
  readonly field: string | null
  readonly message: string
  readonly supported: readonly string[] | null
  readonly failure: Failure
}

export interface NodePoolEffect {
  readonly name: string
  readonly change: 'added' | 'removed' | 'changed' | 'unchanged'
  readonly rolls: boolean
  readonly machinesMin: number
  readonly machinesMax: number
  readonly machinesDuringRoll: number
}

/** How much of a limit the organization uses. */
export interface LimitUse {
  readonly used: number
  /** With the change. */
  readonly after: number
  /** Null: no limit. */
  readonly limit: number | null
}

export interface ClusterPreview {
  readonly accepted: boolean
  readonly problems: readonly PreviewProblem[]
  readonly fields: readonly {
    readonly field: string
    readonly change: 'added' | 'removed' | 'changed'
    readonly before?: unknown
    readonly after?: unknown
  }[]
  readonly nodePools: readonly NodePoolEffect[]
  readonly limits: {
    readonly clusters: LimitUse
    readonly nodes: LimitUse
  }
  readonly notConsulted: readonly string[]
}

export interface VersionUpgrade {
  readonly version: string
  readonly kind: 'patch' | 'minor'
  readonly classification: string
  readonly expiresAt: number | null
  readonly changes: readonly string[]
}

export interface LimitsAndUsage extends OrganizationLimits {
  readonly clusters: number
  readonly nodes: number
  readonly generation: number
}

export interface Landscape extends Catalogue {
  readonly mode: 'mock' | 'real'
  readonly limits: OrganizationLimits | null
}

export interface DeleteOptions extends Precondition {
  /** @default false */
  readonly withApps?: boolean | undefined
}

/** What people and programs may do with clusters. Every method acts for its caller; row level security decides. */
export interface Clusters {
  listClusters(actor: Actor, filter: ClusterFilter): Promise<Listed<ListedCluster>>
  getCluster(actor: Actor, organizationId: string, id: string): Promise<ListedCluster>
  /** Of whichever organization that the caller may see. */
  findCluster(actor: Actor, id: string): Promise<ListedCluster>
  createCluster(actor: Actor, organizationId: string, input: ClusterInput): Promise<ListedCluster>
  updateCluster(
    actor: Actor,
    organizationId: string,
    id: string,
    change: ClusterChange,
    precondition?: Precondition,
  ): Promise<ListedCluster>
  /** Refused with `ClusterInUse` while there are apps in it, unless they are to go with it: they are removed first. */
  deleteCluster(actor: Actor, organizationId: string, id: string, options?: DeleteOptions): Promise<ListedCluster>
  operateCluster(actor: Actor, organizationId: string, id: string, kind: OperationKind): Promise<ListedCluster>
  /** Wakes the worker for it. */
  syncCluster(actor: Actor, organizationId: string, id: string): Promise<ListedCluster>
  listEvents(actor: Actor, organizationId: string, id: string, page: PageOptions): Promise<Listed<ListedEvent>>
  /** Everyone who sees the cluster sees all of them: they keep it from being deleted. */
  listApps(actor: Actor, organizationId: string, id: string, page: PageOptions): Promise<Listed<ListedApp>>
  addNodePool(
    actor: Actor,
    organizationId: string,
    id: string,
    pool: NodePoolInput,
    precondition?: Precondition,
  ): Promise<ListedNodePool>
  updateNodePool(
    actor: Actor,
    organizationId: string,
    id: string,
    poolId: string,
    change: NodePoolChange,
    precondition?: Precondition,
  ): Promise<ListedNodePool>
  /** Answers with the generation that the cluster has without it. */
  removeNodePool(
    actor: Actor,
    organizationId: string,
    id: string,
    poolId: string,
    precondition?: Precondition,
  ): Promise<Pick<ListedNodePool, 'generation'>>
  getLimits(actor: Actor, organizationId: string): Promise<LimitsAndUsage>
  setLimits(
    actor: Actor,
    organizationId: string,
    limits: OrganizationLimits,
    precondition?: Precondition,
  ): Promise<LimitsAndUsage>
  /** Writes to the audit who asks for a kubeconfig, before Gardener is asked. Answers with the Shoot that it is of. */
  noteKubeconfig(actor: Actor, organizationId: string, id: string, seconds: number): Promise<ShootSummary>
}

/** What needs Gardener besides the database. */
export interface ClustersInsight {
  previewCreate(actor: Actor, organizationId: string, input: ClusterInput, signal: AbortSignal): Promise<ClusterPreview>
  previewChange(
    actor: Actor,
    organizationId: string,
    id: string,
    change: ClusterChange,
    signal: AbortSignal,
  ): Promise<ClusterPreview>
  explain(actor: Actor, organizationId: string, id: string, signal: AbortSignal): Promise<Explanation>
  timeline(actor: Actor, organizationId: string, id: string, limit?: number): Promise<readonly TimelineEntry[]>
  versions(
    actor: Actor,
    organizationId: string,
    id: string,
    signal: AbortSignal,
  ): Promise<{ readonly current: string; readonly upgrades: readonly VersionUpgrade[] }>
  landscape(actor: Actor, organizationId: string | undefined, signal: AbortSignal): Promise<Landscape>
  /** Audited before it is asked for; never stored. */
  kubeconfig(
    actor: Actor,
    organizationId: string,
    id: string,
    seconds: number,
    signal: AbortSignal,
  ): Promise<Kubeconfig>
}
