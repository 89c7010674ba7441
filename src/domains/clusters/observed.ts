import type { Failure } from '../../kernel/index.ts'
import type { ShootSummary } from './types.ts'

/** What of a Shoot a decision depends on. */
export interface LiveShoot extends ShootSummary {
  readonly createdAt: number
  readonly isDeleting: boolean
  readonly generation: number
  /** Null: Gardener has not looked at it yet. */
  readonly observedGeneration: number | null
  /** Whether its spec asks for hibernation. */
  readonly isToHibernate: boolean
  /** The id of the operation that was last asked for. */
  readonly operationId: string | null
  /** What Gardener was asked for, by whomever, and has not taken up yet. Absent: nothing. */
  readonly pendingOperation?: string
}

export type ShootSeen =
  /** By the watch, or by the server where the watch is not current. Creating and forgetting ask the server again. */
  { readonly is: 'absent' } | { readonly is: 'present'; readonly live: LiveShoot; readonly drift: readonly string[] }

/** Where the Shoot belongs. */
export type NamespaceSeen =
  | { readonly is: 'known'; readonly name: string }
  /** Gardener was not asked yet in this run. */
  | { readonly is: 'unknown' }
  /** Gardener has not made it yet. */
  | { readonly is: 'pending'; readonly project: string }

export interface Observed {
  readonly shoot: ShootSeen
  readonly namespace: NamespaceSeen
  /** The Shoot was written in this run. */
  readonly isApplied: boolean
  /** Why no Shoot can be asked for. */
  readonly problem?: Failure
}
