/** What a reconcile answers. Errors are thrown; waiting is not an error. */
export type Outcome =
  | { readonly next: 'onChange' }
  | { readonly next: 'after'; readonly ms: number; readonly because: string }

/** Converged: sleep until something we watch changes (the drift scan is the safety net). */
export const settled = (): Outcome => ({ next: 'onChange' })

/** Waiting for another party. Resets the backoff and costs no attempt. */
export const checkAgain = (ms: number, because: string): Outcome => ({ next: 'after', ms, because })

/** `checkAgain` from any depth: thrown through a reconcile, it ends the run as waiting and costs no attempt. */
export class Waiting extends Error {
  override readonly name = 'Waiting'
  readonly afterMs: number

  constructor(afterMs: number, because: string) {
    super(because)
    this.afterMs = afterMs
  }
}
