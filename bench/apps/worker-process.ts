import { setTimeout as delay } from 'node:timers/promises'
import { childCpuSecondsOf, type Measured } from '../process.ts'
import type { Usage } from './phase.ts'

const DEADLINE_MS = 1_800_000

/** Our worker, and what its lines say. */
export class WorkerProcess implements Usage {
  isWorking = false
  /** API calls made so far. */
  calls = 0
  /** The first start and the last end of every key since `forget`. */
  readonly started = new Map<string, number>()
  readonly ended = new Map<string, number>()
  readonly #running = new Set<string>()
  readonly #program: Measured
  #changed = Promise.withResolvers<void>()

  constructor(program: Measured) {
    this.#program = program
    program.onLine((line) => this.#read(line))
  }

  #read(line: string): void {
    const [what, id = '', at, calls] = line.split(' ')
    this.calls = Number(calls)
    if (what === 'working') this.isWorking = true
    if (what === 'start') {
      this.#running.add(id)
      if (!this.started.has(id)) this.started.set(id, Number(at))
    }
    if (what === 'end') {
      this.#running.delete(id)
      this.ended.set(id, Number(at))
    }
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }

  get cpuSeconds(): number {
    return this.#program.cpuSeconds + childCpuSecondsOf(this.#program.pid)
  }

  get peakRssMiB(): number {
    return this.#program.peakRssMiB
  }

  get running(): number {
    return this.#running.size
  }

  forget(): void {
    this.started.clear()
    this.ended.clear()
  }

  async until(what: string, met: () => boolean | Promise<boolean>): Promise<void> {
    const deadline = performance.now() + DEADLINE_MS
    for (;;) {
      const { promise } = this.#changed
      if (await met()) return
      if (!this.#program.isAlive) throw new Error(`${what}: the worker has ended`)
      if (performance.now() > deadline) throw new Error(`${what}: not within ${DEADLINE_MS} ms`)
      await Promise.race([promise, delay(500)])
    }
  }

  /** Until nothing has run for a second. */
  async settle(): Promise<void> {
    for (let isQuiet = false; !isQuiet;) {
      await this.until('no run', () => this.#running.size === 0)
      const { promise } = this.#changed
      isQuiet = await Promise.race([promise.then(() => false), delay(1_000, true)])
    }
  }

  stop(): Promise<void> {
    return this.#program.stop()
  }
}
