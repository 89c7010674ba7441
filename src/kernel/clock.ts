/** The time source. Only `systemClock` reads the real clock. */
export interface Clock {
  /** Wall-clock time: milliseconds since the epoch. It can step in both directions. */
  now(): number
  /** Monotonic time in milliseconds from an arbitrary origin. It may stop while the machine is suspended. */
  elapsed(): number
  /** Calls `fn` once, `ms` from now; the result cancels it. */
  after(ms: number, fn: () => void): () => void
}

/** The longest delay a Node timer can hold; beyond it the timer would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(ms, fn) {
    const timer = setTimeout(fn, Math.min(Math.max(ms, 0), LONGEST_TIMER_MS))
    return () => clearTimeout(timer)
  },
}

/** One moment by both clocks. */
export interface Instant {
  readonly wall: number
  readonly monotonic: number
}

export const instantOf = (clock: Clock): Instant => ({ wall: clock.now(), monotonic: clock.elapsed() })

/**
 * The larger of the two differences, so that a belief based on it ends too early rather than too late: a wall clock that
 * steps back cannot prolong it, and neither can a machine that was suspended.
 */
export const elapsedSince = (clock: Clock, { wall, monotonic }: Instant): number =>
  Math.max(clock.now() - wall, clock.elapsed() - monotonic)

/** Resolves after `ms`, or rejects with the signal's reason if that comes first. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const onAbort = (): void => {
      cancel()
      reject(signal?.reason)
    }
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    })
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

export interface ManualClock extends Clock {
  /** Moves time forward, firing what falls due in order and letting promises settle in between. */
  advance(ms: number): Promise<void>
}

/** A clock that a test advances. */
export function manualClock(start = 0): ManualClock {
  let now = start
  let order = 0
  const timers = new Set<{ at: number; order: number; fn: () => void }>()
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
  }
  const earliest = () => [...timers].toSorted((a, b) => a.at - b.at || a.order - b.order)[0]
  return {
    now: () => now,
    elapsed: () => now - start,
    after(ms, fn) {
      const timer = { at: now + Math.max(ms, 0), order: order++, fn }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    async advance(ms) {
      const until = now + ms
      await settle()
      for (let next = earliest(); next !== undefined && next.at <= until; next = earliest()) {
        timers.delete(next)
        now = next.at
        next.fn()
        await settle()
      }
      now = until
      await settle()
    },
  }
}
