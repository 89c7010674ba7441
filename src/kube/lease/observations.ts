import type { Clock } from '../../kernel/index.ts'
import type { Lease } from '../types/coordination-v1.ts'

/** A Lease that was not read for this long is forgotten; reading it again starts its time anew, which is safe. */
const FORGET_MS = 600_000
const LEAST_SWEEP = 64

interface Observation {
  readonly version: string
  readonly since: number
  readAt: number
}

/**
 * How long each Lease has been unchanged, by our own clock.
 *
 * The times inside a Lease come from another machine, whose clock may be wrong. A Lease counts as abandoned only when we
 * saw no change for its whole duration. Monotonic time alone decides: a wall clock that steps forward expires nothing.
 */
export class LeaseObservations {
  readonly #clock: Clock
  readonly #seen = new Map<string, Observation>()
  #sweepAbove = LEAST_SWEEP

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#seen.size
  }

  /** Call it with every Lease that was read. Answers for how many milliseconds we have known it in this version. */
  unchangedForMs(lease: Lease): number {
    const now = this.#clock.elapsed()
    const name = nameOf(lease)
    const version = `${lease.metadata.uid} ${lease.metadata.resourceVersion}`
    const known = this.#seen.get(name)
    if (known?.version === version) {
      known.readAt = now
      return now - known.since
    }
    this.#seen.set(name, { version, since: now, readAt: now })
    if (this.#seen.size > this.#sweepAbove) this.#sweep(now)
    return 0
  }

  forget(lease: Lease): void {
    this.#seen.delete(nameOf(lease))
  }

  /** Runs when the map has doubled since the last sweep, so its cost per read is constant. */
  #sweep(now: number): void {
    for (const [name, { readAt }] of this.#seen) if (now - readAt > FORGET_MS) this.#seen.delete(name)
    this.#sweepAbove = Math.max(LEAST_SWEEP, this.#seen.size * 2)
  }
}

const nameOf = ({ metadata: { namespace = '', name } }: Lease): string => `${namespace}/${name}`
