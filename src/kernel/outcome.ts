/** What a reconcile answers. Errors are thrown; waiting is not an error. */
export type Outcome =
  | { readonly next: 'onChange' }
  | { readonly next: 'after'; readonly ms: number; readonly because: string }

/** Converged: sleep until something we watch changes (the drift scan is the safety net). */
export const settled = (): Outcome => ({ next: 'onChange' })

/** Waiting for someone else. Resets the backoff and costs no attempt. */
export const checkAgain = (ms: number, because: string): Outcome => ({ next: 'after', ms, because })
