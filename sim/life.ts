import type { Clock, Random } from '../src/kernel/index.ts'
import type { Faults } from './faults.ts'
import type { Timeline } from './timeline.ts'

export interface LifeOptions {
  readonly name: string
  readonly clock: Clock
  readonly random: Random
  readonly timeline: Timeline
  /** Asked anew each time: faults end while a life goes on. */
  readonly faults: () => Faults
  readonly onCrash: () => void
}

/**
 * One life of a process, from its start to its crash.
 *
 * Nothing of it goes on after the end: its timers do not fire, its calls are not answered, and new ones lead nowhere.
 * What it had sent before is on its way all the same.
 */
export class Life {
  readonly name: string
  /** The process's own clock; it stops with it. */
  readonly clock: Clock
  readonly random: Random
  readonly timeline: Timeline
  readonly #options: LifeOptions
  readonly #ending = new AbortController()

  constructor(options: LifeOptions) {
    this.#options = options
    this.name = options.name
    this.random = options.random
    this.timeline = options.timeline
    this.clock = {
      now: () => options.clock.now(),
      elapsed: () => options.clock.elapsed(),
      after: (ms, fn) => options.clock.after(ms, () => this.isAlive && fn()),
    }
  }

  get isAlive(): boolean {
    return !this.#ending.signal.aborted
  }

  /** Aborted at the end. */
  get signal(): AbortSignal {
    return this.#ending.signal
  }

  get faults(): Faults {
    return this.#options.faults()
  }

  happens(fault: keyof Faults): boolean {
    const chance = this.faults[fault]
    return chance > 0 && this.random() < chance
  }

  /** A message on its way out: it arrives after a while, whether or not its sender lives to see it. */
  onTheWay(): Promise<void> {
    if (!this.isAlive) return new Promise(() => {})
    return new Promise((resolve) => void this.#options.clock.after(this.latency(), resolve))
  }

  /** A point at which the process waits for the world, and may not live to see it. */
  async point(ms = this.latency()): Promise<void> {
    if (this.isAlive && this.happens('crash')) this.crash()
    return new Promise((resolve) => void this.clock.after(ms, resolve))
  }

  /** Mostly some milliseconds; now and then much more. */
  latency(): number {
    return this.random() < 0.03 ? this.random() * 3_000 : 1 + this.random() * 20
  }

  crash(): void {
    this.timeline.add(this.name, 'crashes')
    this.end()
    this.#options.onCrash()
  }

  end(): void {
    this.#ending.abort(new Error(`${this.name} has ended`))
  }
}
