export interface Backoff {
  readonly baseMs: number
  readonly capMs: number
  /** Runs that may fail before the key is parked; absent means never give up. */
  readonly maxAttempts?: number
}

/** base, 2×base, 4×base … cap. Exact, so that a test can list it; `failures` counts from 1. */
export const delayFor = (failures: number, { baseMs, capMs }: Backoff): number =>
  Math.min(capMs, baseMs * 2 ** Math.min(Math.max(failures - 1, 0), 30))

/** Spreads those that failed together over ±10 %. `random` is an argument for the same reason the clock is. */
export const jittered = (ms: number, random: () => number): number => Math.round(ms * (0.9 + random() * 0.2))
