import type { Mover } from './errors.ts'

/** The result of `explain` in every domain: why an object is in its state, and what happens next. */
export interface Explanation {
  /** The reasons, the most general first, down to the cause. */
  readonly why: readonly string[]
  /** What happens next. */
  readonly next: string
  /** When it happens; `null` when that depends on a person or on another system. */
  readonly at: number | null
  readonly whoseMove: Mover | 'nobody'
  /** What a person can do, if action is required. */
  readonly nextStep: string | null
  /** What blocks a deletion, one sentence each. */
  readonly blockers: readonly string[]
}
