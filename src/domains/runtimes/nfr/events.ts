import type { Failure } from '../../../kernel/index.ts'
import type { Dimension } from '../class-runtime.ts'

/** What the analyzer tells about itself. `runtime` is `namespace/name`. */
export interface NfrEvents {
  /** A recommendation was written down, because it is new, has changed or has become old. */
  'runtimes:recommended': {
    readonly runtime: string
    readonly functionKey: string
    readonly dimension: Dimension
    readonly value: number
    readonly confidence: number
    readonly basis: string
  }
  /** All runtimes were looked at once. */
  'runtimes:analyzed': {
    readonly runtimes: number
    /** Those whose status had to be written. */
    readonly written: number
    readonly ms: number
    /** Queries without an answer and statuses that could not be written. */
    readonly failures: readonly Failure[]
  }
}
