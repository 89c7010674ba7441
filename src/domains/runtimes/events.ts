import type { Failure } from '../../kernel/index.ts'
import type { Dimension } from './class-runtime.ts'
import type { NfrEvents } from './nfr/events.ts'
import type { Action, ChildRef, Phase } from './types.ts'

/** Events of the runtimes controller, for metrics, logs, the timeline and tests. `runtime` is `namespace/name`. */
export interface RuntimesEvents extends NfrEvents {
  'runtimes:phase': {
    readonly runtime: string
    /** Absent: it is new. */
    readonly from?: Phase
    readonly to: Phase
    /** That of the condition that speaks for the phase. */
    readonly reason: string
    readonly message: string
  }
  /** An object was applied or deleted, or could not be. */
  'runtimes:acted': {
    readonly runtime: string
    readonly action: Exclude<Action['do'], 'enforce'>
    readonly child?: ChildRef
    readonly ms: number
    readonly failure?: Failure
  }
  'runtimes:enforced': {
    readonly runtime: string
    readonly functionKey: string
    readonly dimension: Dimension
    readonly from: number | undefined
    readonly to: number
    readonly ms: number
    readonly failure?: Failure
  }
  /** A Kubernetes Event was written; in observe mode also what would have been done. */
  'runtimes:noticed': {
    readonly runtime: string
    readonly type: 'Normal' | 'Warning'
    readonly reason: string
    readonly note: string
  }
  /** Somebody else wrote the status first, so that it was read and concluded again. */
  'runtimes:statusConflict': { readonly runtime: string }
  /** An event that could not be written. */
  'runtimes:eventLost': { readonly error: unknown }
}
