import type { ListReason } from './machine.ts'

/** Events of watches, for metrics, logs and tests. */
export interface WatchEvents {
  /** The first list is complete. */
  'watch:connected': { readonly resource: string; readonly ms: number; readonly objects: number }
  'watch:reconnected': { readonly resource: string; readonly why: 'ended' | 'idle' | 'failure' }
  'watch:relisted': {
    readonly resource: string
    readonly why: ListReason
    readonly ms: number
    readonly objects: number
  }
  /** No event and no bookmark for `silentMs`: the connection is considered dead and replaced. */
  'watch:idle': { readonly resource: string; readonly silentMs: number }
  'watch:error': {
    readonly resource: string
    readonly error: unknown
    readonly failures: number
    readonly retryInMs: number
  }
  /** The server had changes that the watch did not deliver. */
  'watch:behind': {
    readonly resource: string
    /** A relist, or the reading of one object whose write the watch did not deliver. */
    readonly foundBy: ListReason | 'read'
    /** Objects that differed. */
    readonly missed: number
    /** Those among them with versions that the watch had already passed: it would never have delivered them. */
    readonly overdue: number
  }
}
