import type { Clock, Random } from '../src/kernel/index.ts'
import type { Faults } from './faults.ts'
import { ANSWER_MS, Link } from './link.ts'
import type { Timeline } from './timeline.ts'

/** What a process keeps across its lives: the wall clock of its machine. */
export interface Machine {
  /** What is added to true time. */
  skewMs: number
}

export interface LifeOptions {
  readonly name: string
  /** True time. */
  readonly clock: Clock
  readonly machine: Machine
  readonly random: Random
  readonly timeline: Timeline
  /** Read at every await: faults end while a life continues. */
  readonly faults: () => Faults
  readonly onCrash: () => void
}

type Pause =
  /** SIGSTOP: both clocks continue. */
  | 'stopped'
  /** A suspended machine: the monotonic clock and its timers stop, the wall clock does not. */
  | 'suspended'

/**
 * One life of a process, from its start to its end.
 *
 * After the end its timers do not fire and its calls are not answered; what it had sent arrives. During a pause nothing
 * of it runs either; when it continues, overdue timers fire and answers that arrived in between are delivered.
 */
export class Life {
  readonly name: string
  /** The clocks and timers of the process. */
  readonly clock: Clock
  /** True time, for what happens outside of the process. */
  readonly world: Clock
  readonly random: Random
  readonly timeline: Timeline
  readonly #options: LifeOptions
  readonly #ending = new AbortController()
  readonly #links = new Map<string, Link>()
  #pausedAs: Pause | undefined
  #pausedAt = 0
  #suspendedMs = 0
  #overdue: (() => void)[] = []
  #arrived: (() => void)[] = []

  constructor(options: LifeOptions) {
    const { clock, machine } = options
    this.#options = options
    this.name = options.name
    this.world = clock
    this.random = options.random
    this.timeline = options.timeline
    this.clock = {
      now: () => clock.now() + machine.skewMs,
      elapsed: () => clock.elapsed() - this.#suspendedMs,
      after: (ms, fn) => this.#after(this.clock.elapsed() + Math.max(ms, 0), fn),
    }
  }

  get isAlive(): boolean {
    return !this.#ending.signal.aborted
  }

  get isPaused(): boolean {
    return this.#pausedAs !== undefined
  }

  /** Aborted at the end. */
  get signal(): AbortSignal {
    return this.#ending.signal
  }

  get faults(): Faults {
    return this.#options.faults()
  }

  get links(): readonly Link[] {
    return [...this.#links.values()]
  }

  /** `answerMs`: how long a caller waits for an answer. */
  link(port: string, answerMs = ANSWER_MS): Link {
    const link = this.#links.get(port) ?? new Link(port, this, answerMs)
    this.#links.set(port, link)
    return link
  }

  happens(fault: keyof Faults): boolean {
    const chance = this.faults[fault]
    return chance > 0 && this.random() < chance
  }

  /** An outgoing message: it arrives after a while, whether or not its sender is still alive. */
  onTheWay(): Promise<void> {
    if (!this.isAlive) return new Promise(() => {})
    return new Promise((resolve) => void this.world.after(this.latency(), resolve))
  }

  /** A point at which the process waits for an answer, and may crash before it arrives. */
  async point(ms = this.latency()): Promise<void> {
    if (this.isAlive && this.happens('crash')) this.crash()
    return new Promise((resolve) => void this.world.after(ms, () => this.deliver(resolve)))
  }

  /** Runs `fn` in the process: at once, when its pause ends, or never once it has ended. */
  deliver(fn: () => void): void {
    if (!this.isAlive) return
    if (this.isPaused) this.#arrived.push(fn)
    else fn()
  }

  /** Mostly some milliseconds; now and then much more. */
  latency(): number {
    return this.random() < 0.03 ? this.random() * 3_000 : 1 + this.random() * 20
  }

  /** Pauses the process, often about as long as a lease, sometimes for minutes. */
  pauseForAWhile(): void {
    if (!this.isAlive || this.isPaused) return
    // A wall clock that steps back while the machine is suspended would leave a process no way to know.
    const as: Pause = this.faults.step === 0 && this.random() < 0.4 ? 'suspended' : 'stopped'
    this.timeline.add(this.name, `is ${as}`)
    this.#pausedAs = as
    this.#pausedAt = this.world.now()
    const ms = this.random() < 0.8 ? 2_000 + this.random() * 38_000 : 40_000 + this.random() * 120_000
    this.world.after(ms, () => this.resume())
  }

  resume(): void {
    if (!this.isAlive || !this.isPaused) return
    if (this.#pausedAs === 'suspended') this.#suspendedMs += this.world.now() - this.#pausedAt
    this.#pausedAs = undefined
    this.timeline.add(this.name, `continues after ${((this.world.now() - this.#pausedAt) / 1000).toFixed(1)} s`)
    const [timers, answers] = [this.#overdue.splice(0), this.#arrived.splice(0)]
    // The process may have been stopped between two answers of one turn of its event loop: those come before any timer.
    const inOrder = this.random() < 0.5 ? [...answers, ...timers] : [...timers, ...answers]
    for (const fn of inOrder) this.world.after(0, () => this.deliver(fn))
  }

  crash(): void {
    this.timeline.add(this.name, 'crashes')
    this.end()
    this.#options.onCrash()
  }

  end(): void {
    this.#ending.abort(new Error(`${this.name} has ended`))
  }

  #after(due: number, fn: () => void): () => void {
    let isCancelled = false
    let cancel = (): void => {}
    const fire = (): void => {
      if (isCancelled || !this.isAlive) return
      const left = due - this.clock.elapsed()
      if (this.isPaused) this.#overdue.push(fire)
      else if (left > 0) cancel = this.world.after(left, fire)
      else fn()
    }
    cancel = this.world.after(due - this.clock.elapsed(), fire)
    return () => {
      isCancelled = true
      cancel()
    }
  }
}
