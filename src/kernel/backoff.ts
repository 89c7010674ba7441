export interface Backoff {
  readonly baseMs: number
  readonly capMs: number
  /** Runs that may fail before the key is parked. Absent: no limit. */
  readonly maxAttempts?: number
}

/** base, 2×base, 4×base … cap, without jitter. `failures` counts from 1. */
export const delayFor = (failures: number, { baseMs, capMs }: Backoff): number =>
  Math.min(capMs, baseMs * 2 ** Math.min(Math.max(failures - 1, 0), 30))

/** Varies a delay by ±10 %, so that keys that failed together are not retried together. */
export const jittered = (ms: number, random: () => number): number => Math.round(ms * (0.9 + random() * 0.2))
