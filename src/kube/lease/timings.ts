export interface LeaderTimings {
  /** How long followers wait for a leader that does not renew. @default 15_000 */
  readonly durationMs?: number
  /** A leader leads this long after its last confirmed renewal; it stops in the rest of `durationMs`. @default 10_000 */
  readonly renewDeadlineMs?: number
  /** Between two attempts. @default 2_000 */
  readonly retryMs?: number
}

export function checkTimings({ durationMs, renewDeadlineMs, retryMs }: Required<LeaderTimings>): void {
  if (durationMs <= renewDeadlineMs) {
    throw new Error(
      `durationMs (${durationMs}) must be greater than renewDeadlineMs (${renewDeadlineMs}): the difference is the time to stop`,
    )
  }
  if (renewDeadlineMs <= retryMs * 1.2) {
    throw new Error(
      `renewDeadlineMs (${renewDeadlineMs}) must be greater than retryMs (${retryMs}) and its jitter, or one failure ends the term`,
    )
  }
}
