import type { Clock } from './clock.ts'

/** Wakes the one task that waits on it. A ring between two waits is kept. */
export class Wakeup {
  readonly #clock: Clock
  #rung = false
  #awake: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  ring(): void {
    this.#rung = true
    this.#awake?.()
  }

  silence(): void {
    this.#rung = false
  }

  /** Resolves at the next ring, and after `ms` at the latest. */
  async wait(ms: number): Promise<void> {
    if (this.#rung) return
    await new Promise<void>((resolve) => {
      const cancel = this.#clock.after(ms, resolve)
      this.#awake = () => {
        cancel()
        resolve()
      }
    })
    this.#awake = undefined
  }
}
