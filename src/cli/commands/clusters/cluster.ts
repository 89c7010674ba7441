/** A cluster as the server sends it, as far as commands need it. Commands share no code with the server. */
export interface Cluster {
  readonly id: string
  readonly organization_id: string
  readonly organization: string
  readonly name: string
  readonly region: string
  readonly kubernetes_version: string
  readonly hibernated: boolean
  readonly maintenance: MaintenanceWindow | null
  readonly node_pools: readonly NodePool[]
  readonly generation: number
  readonly synced_generation: number
  readonly status: (typeof STATUSES)[number]
  readonly status_message: string | null
  readonly status_failure: ClusterFailure | null
  readonly status_changed_at: string
  readonly status_as_of: string | null
  readonly synced_at: string | null
  readonly sync_failure: ClusterFailure | null
  readonly sync_attempts: number
  readonly next_sync_at: string | null
  readonly operation: { readonly kind: string; readonly requested_at: string; readonly pending: boolean } | null
  readonly shoot: Shoot | null
  readonly created_at: string
  readonly deleting_since: string | null
}

export const STATUSES = ['pending', 'progressing', 'ready', 'error', 'deleting', 'deleted'] as const

export interface NodePool {
  readonly id: string
  readonly name: string
  readonly machine_type: string
  readonly autoscale_min: number
  readonly autoscale_max: number
}

export type NodePoolDraft = Omit<NodePool, 'id'>

export interface MaintenanceWindow {
  readonly begin: string
  readonly end: string
  readonly update_kubernetes: boolean
  readonly update_machine_image: boolean
}

export interface ClusterFailure {
  readonly code: string
  readonly message: string
  readonly whose_move: 'user' | 'operator' | 'platform' | 'provider'
  readonly retryable: boolean
  readonly next_step: string
}

export interface Shoot {
  readonly namespace: string
  readonly name: string
  readonly kubernetes_version: string
  readonly hibernated: boolean
  readonly operation: {
    readonly type: string
    readonly state: string
    readonly progress: number
    readonly description: string
  } | null
  readonly conditions: readonly {
    readonly type: string
    readonly status: string
    readonly message: string
    readonly since: string | null
  }[]
  readonly errors: readonly { readonly description: string; readonly codes: readonly string[] }[]
  /** Phase by what is rotated. */
  readonly rotation: Readonly<Record<string, string>>
}

export const pathOf = ({ id, organization_id }: Pick<Cluster, 'id' | 'organization_id'>): string =>
  `/organizations/${encodeURIComponent(organization_id)}/clusters/${encodeURIComponent(id)}`

/** How far Gardener is, such as `45 %`; nothing once the operation has succeeded. */
export function progressText({ shoot }: Pick<Cluster, 'shoot'>): string | undefined {
  const operation = shoot?.operation
  return operation == null || operation.state === 'Succeeded' ? undefined : `${operation.progress} %`
}

/** What is wrong with it: as Gardener reports it, and why the last sync failed. */
export const failuresOf = ({
  status_failure,
  sync_failure,
}: Pick<Cluster, 'status_failure' | 'sync_failure'>): readonly ClusterFailure[] =>
  [status_failure, sync_failure].filter((failure) => failure !== null)
