import type { Mover } from './errors.ts'

/** Why something is in its state, and what comes next: what `explain` of every domain answers. */
export interface Explanation {
  /** Why it is in this state, most telling first, down to the one thing that is responsible. */
  readonly why: readonly string[]
  /** What happens next. */
  readonly next: string
  /** When it happens; `null` when that depends on somebody. */
  readonly at: number | null
  readonly whoseMove: Mover | 'nobody'
  /** What a person can do, if it is a person's move. */
  readonly nextStep: string | null
  /** What keeps a deletion from ending, one sentence each. */
  readonly blockers: readonly string[]
}
