import type { Clock } from './clock.ts'
import { Lanes, type Placed } from './queue/lanes.ts'
import { Turns } from './queue/turns.ts'

export interface FairLaneOptions {
  readonly clock: Clock
  /** How much runs at once. One tenant never has all of it, unless it is one. */
  readonly concurrency: number
  /** How many of one tenant may wait. */
  readonly waitingOfOne: number
  /** How many may wait in all. */
  readonly waiting: number
  /** How long one may wait, and then how long it may run. */
  readonly limitMs: number
}

/** Why the lane did not do it. */
export type LaneRefusal = 'too many of the tenant' | 'too many' | 'waited too long' | 'ran too long'

export class LaneRefused extends Error {
  override readonly name = 'LaneRefused'
  readonly why: LaneRefusal

  constructor(why: LaneRefusal) {
    super(why)
    this.why = why
  }
}

interface Entry extends Placed {
  isWaiting: boolean
  readonly start: () => void
}

/**
 * Work that people ask for and wait for, in a bounded number of places. Tenants take turns, so that one who asks for much
 * delays only themselves; who goes away, or waits too long, leaves the line.
 */
export class FairLane {
  readonly #options: FairLaneOptions
  readonly #turns = new Turns()
  readonly #line = new Lanes<Entry>((entry) => entry.isWaiting)
  readonly #waiting = new Map<string, number>()
  readonly #running = new Map<string, number>()
  #seq = 0

  constructor(options: FairLaneOptions) {
    this.#options = options
  }

  /** Runs `work` when it is its turn. The signal of `work` is aborted when `signal` is, or when it takes too long. */
  async run<T>(tenant: string, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted()
    await this.#turn(tenant, signal)
    const { clock, limitMs } = this.#options
    const late = new AbortController()
    const cancel = clock.after(limitMs, () => late.abort(new LaneRefused('ran too long')))
    try {
      return await work(signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]))
    } catch (error) {
      // Whatever the work made of being aborted.
      if (late.signal.aborted && signal?.aborted !== true) throw late.signal.reason
      throw error
    } finally {
      cancel()
      add(this.#running, tenant, -1)
      this.#next()
    }
  }

  /** Resolves with a place taken. */
  #turn(tenant: string, signal: AbortSignal | undefined): Promise<void> {
    const { clock, waiting, waitingOfOne, limitMs } = this.#options
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        entry.isWaiting = false
        cancel()
        signal?.removeEventListener('abort', leave)
        add(this.#waiting, tenant, -1)
      }
      const leave = (): void => {
        settle()
        reject(signal?.aborted === true ? (signal.reason as Error) : new LaneRefused('waited too long'))
        if (this.#line.size > 2 * (total(this.#waiting) + 1)) this.#line.sweep()
      }
      const start = (): void => {
        settle()
        add(this.#running, tenant, 1)
        this.#turns.serve(entry.turn)
        if (total(this.#waiting) === 0) this.#turns.forgetIdle()
        resolve()
      }
      const entry: Entry = { tenant, turn: this.#turns.next(tenant), seq: this.#seq++, isWaiting: true, start }
      add(this.#waiting, tenant, 1)
      const cancel = clock.after(limitMs, leave)
      signal?.addEventListener('abort', leave, { once: true })
      this.#line.push(entry)
      this.#next()
      if (!entry.isWaiting) return
      const isTooMany = total(this.#waiting) > waiting
      if (!isTooMany && (this.#waiting.get(tenant) ?? 0) <= waitingOfOne) return
      settle()
      reject(new LaneRefused(isTooMany ? 'too many' : 'too many of the tenant'))
    })
  }

  #next(): void {
    const { concurrency } = this.#options
    const share = Math.max(1, concurrency - 1)
    this.#line.take(
      (tenant) => (this.#running.get(tenant) ?? 0) < share,
      () => total(this.#running) >= concurrency,
      (entry) => entry.start(),
    )
  }
}

function add(counts: Map<string, number>, tenant: string, by: number): void {
  const count = (counts.get(tenant) ?? 0) + by
  if (count === 0) counts.delete(tenant)
  else counts.set(tenant, count)
}

const total = (counts: ReadonlyMap<string, number>): number => {
  let sum = 0
  for (const count of counts.values()) sum += count
  return sum
}
