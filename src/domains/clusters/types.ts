/*
 * Terms used in this folder
 *
 * - cluster:      a row that an organization ordered, with its node pools
 * - Shoot:        the object of Gardener that a cluster is converged into
 * - project:      what Gardener keeps Shoots in; it has a namespace, `garden-<project>`
 * - garden:       the control plane that serves Gardener's API
 * - sync:         writing the Shoot that a row asks for
 * - generation:   incremented by every change of a cluster or of its node pools; `syncedGeneration` follows it
 *
 * Times are milliseconds since the epoch; `null` is what the column holds when there is nothing.
 */

import type { Failure } from '../../kernel/index.ts'

export const SHOOT_STATUSES = ['pending', 'progressing', 'ready', 'error', 'deleting', 'deleted'] as const
export type ShootStatus = (typeof SHOOT_STATUSES)[number]

export interface NodePool {
  readonly id: string
  readonly name: string
  readonly machineType: string
  readonly autoscaleMin: number
  readonly autoscaleMax: number
}

/** When Gardener may change the cluster by itself, and what. Times are `HHMMSS+ZONE`, as Gardener writes them. */
export interface Maintenance {
  readonly begin: string
  readonly end: string
  readonly updateKubernetes: boolean
  readonly updateMachineImage: boolean
}

export const OPERATIONS = ['reconcile', 'retry', 'rotate-credentials-start', 'rotate-credentials-complete'] as const
export type OperationKind = (typeof OPERATIONS)[number]

/** What can be asked for while a cluster is being deleted. */
export const OPERATIONS_OF_DELETION: ReadonlySet<OperationKind> = new Set(['retry', 'reconcile'])

/** What a person asked Gardener to do once. The id is written to the Shoot with it, so that it is asked once. */
export interface Operation {
  readonly id: string
  readonly kind: OperationKind
  readonly requestedAt: number
}

/** What an organization wants. */
export interface Cluster {
  readonly id: string
  readonly organizationId: string
  readonly name: string
  readonly region: string
  /** As ordered: `1.34` or `1.34.3`. */
  readonly kubernetesVersion: string
  readonly isHibernated: boolean
  readonly maintenance: Maintenance | null
  readonly operation: Operation | null
  readonly nodePools: readonly NodePool[]
  readonly createdAt: number
  readonly deletedAt: number | null
}

/** What became of it. */
export interface SyncState {
  readonly generation: number
  /** The generation that the Shoot was last seen or made to match; 0: none. */
  readonly syncedGeneration: number
  readonly syncedAt: number | null
  readonly failure: Failure | null
  readonly attempts: number
  readonly lastAttemptAt: number | null
  readonly status: ShootStatus
  readonly statusMessage: string | null
  /** Of Gardener, about the Shoot; absent unless the status is `error`. */
  readonly statusFailure: Failure | null
  readonly statusChangedAt: number
  /** Null: no Shoot was seen yet. */
  readonly shoot: ShootSummary | null
  /** Failed operations that Gardener was asked to retry by Caelus, since the last success. */
  readonly retries: number
  /** The id of the last operation of a person that is over: Gardener was asked for it, or it was dropped. */
  readonly closedOperation: string | null
}

/** What is kept of a Shoot in the row, for people. */
export interface ShootSummary {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly kubernetesVersion: string
  readonly isHibernated: boolean
  readonly operation: {
    readonly type: string
    readonly state: string
    readonly progress: number
    readonly description: string
    readonly updatedAt: number | null
  } | null
  readonly conditions: readonly {
    readonly type: string
    readonly status: string
    readonly reason: string
    readonly message: string
    /** Of Gardener, as in `errors`; absent where there are none. */
    readonly codes?: readonly string[]
    readonly since: number | null
  }[]
  readonly errors: readonly { readonly description: string; readonly codes: readonly string[] }[]
  /** Phases of a credentials rotation, such as `Prepared`, by what is rotated. */
  readonly rotation: Readonly<Record<string, string>>
}

export const EVENT_TYPES = [
  'sync_requested',
  'sync_claimed',
  'sync_succeeded',
  'sync_failed',
  'status_progressing',
  'status_ready',
  'status_error',
  'status_deleting',
  'status_deleted',
] as const
export type ClusterEventType = (typeof EVENT_TYPES)[number]

/** What an admin allows an organization. `null`: no limit, or everything that the landscape offers. */
export interface OrganizationLimits {
  readonly maxClusters: number | null
  readonly maxNodes: number | null
  readonly regions: readonly string[] | null
  readonly machineTypes: readonly string[] | null
}
