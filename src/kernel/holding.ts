import { elapsedSince, instantOf, systemClock, type Clock, type Instant } from './clock.ts'
import { defineFailures } from './errors.ts'
import type { LockHolder, TargetLock, TargetLocks } from './locks.ts'
import { Waiting } from './outcome.ts'

export interface HoldingOptions {
  readonly locks: TargetLocks
  /** Shown to others that want the same target. */
  readonly holder: string
  /** See `LockRequest`. */
  readonly claimFence?: number
  /** The signal of the run: a run that has lost its lease must not continue because it still holds locks. */
  readonly signal: AbortSignal
  /** How long the locks of a crashed holder stay. A live holder renews three times as often. @default 30_000 */
  readonly ttlMs?: number
  readonly clock?: Clock
}

export interface HeldTargets {
  readonly fences: ReadonlyMap<string, number>
  /**
   * Throws when the signal is aborted or a lock may have been lost. It reads the clock, because a process that was paused
   * can send a request before the timer that aborts the signal fires. Call it before every write to a target.
   */
  readonly assertHeld: () => void
}

/** The signal aborts when the run's signal does or when a lock may have been lost. */
export type HeldWork<T> = (signal: AbortSignal, held: HeldTargets) => Promise<T>

export const TARGET_LOCK_LOST = 'TargetLockLost'

const { [TARGET_LOCK_LOST]: lockLost } = defineFailures({
  [TARGET_LOCK_LOST]: {
    whoseMove: 'platform',
    retryable: true,
    nextStep:
      'Caelus retries automatically. If the problem persists, check that the API server answers writes of Leases.',
  },
})

/** Other holders usually release long before their lock expires. */
const WAIT = { leastMs: 1_000, mostMs: 5_000 }
/** A lock whose release is not answered in this time is left to expire. */
const RELEASE_MS = 2_000

/**
 * Runs the work while holding all targets, and releases them afterwards.
 *
 * - Takes all targets or none, one after the other in sorted order, so that two callers with overlapping targets cannot
 *   keep refusing each other. Throws `Waiting` with the holder's name when another holder has one of them.
 * - Renews the locks. A lock counts as lost once its TTL has passed since the last renewal that was confirmed, measured
 *   from before that renewal was sent. A renewal that fails confirms nothing.
 */
export async function holding<T>(options: HoldingOptions, targets: readonly string[], work: HeldWork<T>): Promise<T> {
  const held = new HeldLocks(options)
  try {
    for (const target of new Set(targets.toSorted())) await held.add(target)
    return await work(held.signal, held.begin())
  } finally {
    await held.end()
  }
}

interface Held {
  readonly lock: TargetLock
  /** Before the last confirmed question was sent. */
  provedAt: Instant
}

class HeldLocks {
  readonly signal: AbortSignal
  readonly #options: HoldingOptions
  readonly #clock: Clock
  readonly #ttlMs: number
  readonly #held = new Set<Held>()
  readonly #lost = new AbortController()
  /** Of the renewals under way; the next round replaces those that are not answered yet. */
  #round = new AbortController()
  #hasEnded = false
  #sinceBeat: Instant
  #cancelTimer = (): void => {}

  constructor(options: HoldingOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#ttlMs = options.ttlMs ?? 30_000
    this.signal = AbortSignal.any([options.signal, this.#lost.signal])
    this.#sinceBeat = instantOf(this.#clock)
    this.#schedule()
  }

  async add(target: string): Promise<void> {
    this.signal.throwIfAborted()
    const { locks, holder, claimFence } = this.#options
    const provedAt = instantOf(this.#clock)
    const request = { holder, ttlMs: this.#ttlMs, signal: this.signal, ...(claimFence !== undefined && { claimFence }) }
    const answer = await locks.acquire(target, request)
    if (!answer.held) throw waitingFor(target, answer, this.#clock.now())
    const one = { lock: answer.lock, provedAt }
    this.#held.add(one)
    // An answer that took long leaves little of the TTL: the lock could expire before the next beat.
    if (elapsedSince(this.#clock, provedAt) >= this.#beatMs) void this.#renew(one, this.#round.signal)
    this.#schedule()
  }

  /** Throws if taking the later targets took so long that an earlier one may be lost. */
  begin(): HeldTargets {
    const assertHeld = (): void => {
      this.#checkExpiry()
      this.signal.throwIfAborted()
    }
    assertHeld()
    return { fences: new Map([...this.#held].map(({ lock }) => [lock.target, lock.fence])), assertHeld }
  }

  async end(): Promise<void> {
    this.#cancelTimer()
    this.#hasEnded = true
    this.#round.abort(new Error('the locks are being released'))
    const limit = new AbortController()
    const cancel = this.#clock.after(RELEASE_MS, () => limit.abort(new Error(`no answer within ${RELEASE_MS} ms`)))
    await Promise.allSettled([...this.#held].map(({ lock }) => within(lock.release(limit.signal), limit.signal)))
    cancel()
  }

  /** The timer fires at every beat and at the moment the first lock would expire, whichever is sooner. */
  #schedule(): void {
    this.#cancelTimer()
    const left = [...this.#held].map(({ provedAt }) => this.#ttlMs - elapsedSince(this.#clock, provedAt))
    const untilBeat = this.#beatMs - elapsedSince(this.#clock, this.#sinceBeat)
    this.#cancelTimer = this.#clock.after(Math.max(0, Math.min(untilBeat, ...left)), () => this.#tick())
  }

  #tick(): void {
    this.#checkExpiry()
    if (this.signal.aborted) return
    if (elapsedSince(this.#clock, this.#sinceBeat) >= this.#beatMs) {
      this.#sinceBeat = instantOf(this.#clock)
      this.#round.abort(new Error(`no answer within ${this.#beatMs} ms`))
      this.#round = new AbortController()
      for (const one of this.#held) void this.#renew(one, this.#round.signal)
    }
    this.#schedule()
  }

  get #beatMs(): number {
    return this.#ttlMs / 3
  }

  async #renew(one: Held, signal: AbortSignal): Promise<void> {
    const before = instantOf(this.#clock)
    const isHeld = await one.lock.renew(signal).catch(() => undefined)
    if (isHeld === true && before.monotonic > one.provedAt.monotonic) one.provedAt = before
    if (isHeld !== false || this.#hasEnded) return
    this.#held.delete(one)
    this.#lose(one.lock, 'another acquisition has taken it')
  }

  #checkExpiry(): void {
    for (const { lock, provedAt } of this.#held) {
      if (elapsedSince(this.#clock, provedAt) < this.#ttlMs) continue
      return this.#lose(lock, `no renewal was confirmed for ${this.#ttlMs} ms`)
    }
  }

  #lose({ target }: TargetLock, why: string): void {
    this.#lost.abort(lockLost(`the lock on ${target} was lost: ${why}`))
  }
}

function waitingFor(target: string, { by, until }: LockHolder, now: number): Waiting {
  const waitMs = Math.min(Math.max(until - now, WAIT.leastMs), WAIT.mostMs)
  return new Waiting(waitMs, `${target} is held by ${by} until ${new Date(until).toISOString()}`)
}

/** Rejects when the signal aborts, also if the work ignores it. */
function within<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => aborted.reject(signal.reason as Error), { once: true })
  return Promise.race([work, aborted.promise])
}
