import { elapsedSince, instantOf, type Clock, type Instant } from './clock.ts'
import { answerWithin } from './deadline.ts'
import type { Emitter, KernelEvents } from './emitter.ts'
import type { Claim, Queue, Renewal } from './queue/queue.ts'

/** A claim under which a run is under way. */
export interface Held {
  readonly claim: Claim
  /** When the queue was last asked for a lease that it then granted. The lease runs from then on at least. */
  leasedAt: Instant
  /** False: the lease is left to lapse, so that another worker can take the key. */
  isRenewed: boolean
  isLost: boolean
  /** Called once, when the lease is lost or can no longer be proved. */
  readonly onLost: () => void
}

export interface LeaseKeeperOptions {
  readonly name: string
  readonly queue: Queue
  readonly clock: Clock
  readonly emitter: Emitter<KernelEvents>
}

/** Renews the leases in `held` every quarter of a lease, and ends those that can no longer be proved. */
export class LeaseKeeper {
  readonly #options: LeaseKeeperOptions
  readonly #held: ReadonlySet<Held>

  constructor(options: LeaseKeeperOptions, held: ReadonlySet<Held>) {
    this.#options = options
    this.#held = held
  }

  /** Returns the way to stop. */
  start(): () => void {
    const { clock, queue } = this.#options
    let cancel = (): void => {}
    const beat = (): void => {
      for (const held of this.#held) this.check(held)
      void this.#renew()
      schedule()
    }
    const schedule = (): void => {
      let nextMs = queue.leaseMs / 4
      for (const held of this.#held) if (!held.isLost) nextMs = Math.min(nextMs, this.#leftMs(held))
      cancel = clock.after(nextMs, beat)
    }
    schedule()
    return () => cancel()
  }

  /** Ends the lease if it has lapsed: in a process that was suspended no timer may have fired yet. */
  check(held: Held): void {
    if (this.hasLapsed(held)) this.#lose(held)
  }

  /** Another worker may hold the key. Measured from before the last granted request, so never too late. */
  hasLapsed(held: Held): boolean {
    return this.#leftMs(held) <= 0
  }

  #leftMs({ leasedAt }: Held): number {
    return this.#options.queue.leaseMs - elapsedSince(this.#options.clock, leasedAt)
  }

  /** Each beat asks anew, whether or not the one before was answered: one lost request must not cost every lease. */
  async #renew(): Promise<void> {
    const { name, queue, clock, emitter } = this.#options
    const asked = [...this.#held].filter(({ isLost, isRenewed }) => isRenewed && !isLost)
    if (asked.length === 0) return
    const at = instantOf(clock)
    const renewed = (answer: Renewal): void => this.#apply(asked, at, answer)
    const deadline = { clock, ms: queue.leaseMs / 4, call: 'renew', late: renewed }
    try {
      renewed(await answerWithin(deadline, () => queue.renew(asked.map(({ claim }) => claim))))
    } catch (error) {
      emitter.emit('queue:unreachable', { controller: name, doing: 'renew', error })
    }
  }

  /** Answers may arrive out of order, so an earlier request never replaces a later one. */
  #apply(asked: readonly Held[], at: Instant, { gone, untouched }: Renewal): void {
    const fencesOf = (claims: readonly Claim[]): Set<number> => new Set(claims.map(({ fence }) => fence))
    const [lost, left] = [fencesOf(gone), fencesOf(untouched)]
    const age = elapsedSince(this.#options.clock, at)
    for (const held of asked) {
      const { fence } = held.claim
      if (lost.has(fence)) this.#lose(held)
      else if (!left.has(fence) && age < elapsedSince(this.#options.clock, held.leasedAt)) held.leasedAt = at
    }
  }

  #lose(held: Held): void {
    if (held.isLost || !this.#held.has(held)) return
    held.isLost = true
    const { key, fence } = held.claim
    this.#options.emitter.emit('lease:lost', { controller: this.#options.name, key, fence })
    held.onLost()
  }
}
