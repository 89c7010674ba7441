import type { ListReason } from './machine.ts'

/** What watches tell about themselves. Metrics, logs and tests listen. */
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
  /** Not even a bookmark for that long: the connection is taken for dead and replaced. */
  'watch:idle': { readonly resource: string; readonly silentMs: number }
  'watch:error': {
    readonly resource: string
    readonly error: unknown
    readonly failures: number
    readonly retryInMs: number
  }
  /** The server knew more than the watch had told us. */
  'watch:behind': {
    readonly resource: string
    /** A relist, or the reading of one object that we wrote and that did not come back. */
    readonly foundBy: ListReason | 'read'
    /** Objects that differed. */
    readonly missed: number
    /** Those among them that the watch had already passed by, so that waiting longer would not have brought them. */
    readonly overdue: number
  }
}
