import type { Clock } from '../src/kernel/index.ts'

interface Timer {
  readonly at: number
  readonly order: number
  readonly fn: () => void
  isCancelled: boolean
}

/**
 * Time that passes only when nothing is left to do at the present moment.
 *
 * Everything that waits in a simulated world waits for a timer of this clock, so the order of its timers is the order
 * of everything that happens.
 */
export class VirtualClock implements Clock {
  readonly #timers: Timer[] = []
  #now: number
  #order = 0

  readonly #start: number

  constructor(start = Date.UTC(2030, 0, 1)) {
    this.#start = start
    this.#now = start
  }

  elapsed(): number {
    return this.#now - this.#start
  }

  now(): number {
    return this.#now
  }

  after(ms: number, fn: () => void): () => void {
    const timer: Timer = { at: this.#now + Math.max(ms, 0), order: this.#order++, fn, isCancelled: false }
    this.#push(timer)
    return () => {
      timer.isCancelled = true
    }
  }

  /** Goes to the next timer and lets everything settle that follows from it. False: none is due until then. */
  async step(until: number): Promise<boolean> {
    let next = this.#timers[0]
    while (next?.isCancelled) {
      this.#pop()
      next = this.#timers[0]
    }
    if (next === undefined || next.at > until) {
      this.#now = Math.max(this.#now, until)
      return false
    }
    this.#pop()
    this.#now = next.at
    next.fn()
    await settled()
    return true
  }

  #push(timer: Timer): void {
    const timers = this.#timers
    let at = timers.push(timer) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isBefore(timer, timers[parent]!)) break
      timers[at] = timers[parent]!
      at = parent
    }
    timers[at] = timer
  }

  #pop(): void {
    const timers = this.#timers
    const last = timers.pop()
    if (last === undefined || timers.length === 0) return
    let at = 0
    for (;;) {
      let below = 2 * at + 1
      if (below >= timers.length) break
      if (below + 1 < timers.length && isBefore(timers[below + 1]!, timers[below]!)) below += 1
      if (!isBefore(timers[below]!, last)) break
      timers[at] = timers[below]!
      at = below
    }
    timers[at] = last
  }
}

const isBefore = (a: Timer, b: Timer): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)

/** Resolves when no promise is left that could continue without a timer. */
const settled = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve))
