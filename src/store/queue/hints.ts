import type { Clock } from '../../kernel/index.ts'

/** The payload is the name of the queue in which a key may be due. The function `caelus.wake_all` uses it too. */
export const CHANNEL = 'caelus_queue'

/** At most one NOTIFY per queue and process in this time, because commits with NOTIFY share one lock of the server. */
const QUIET_MS = 10

/**
 * Decides which wakes carry a hint: the first at once, those that follow within `QUIET_MS` share one at its end.
 *
 * `send` is called for the latter and must not throw.
 */
export class HintThrottle {
  readonly #clock: Clock
  readonly #send: () => void
  #quietUntil = -Infinity
  #trailing: (() => void) | undefined

  constructor(clock: Clock, send: () => void) {
    this.#clock = clock
    this.#send = send
  }

  /** True: the caller sends the hint with its statement. False: `send` is called later. */
  takeNow(): boolean {
    const now = this.#clock.elapsed()
    if (now >= this.#quietUntil) {
      this.#quietUntil = now + QUIET_MS
      return true
    }
    this.#trailing ??= this.#clock.after(this.#quietUntil - now, () => {
      this.#trailing = undefined
      this.#quietUntil = this.#clock.elapsed() + QUIET_MS
      this.#send()
    })
    return false
  }

  stop(): void {
    this.#trailing?.()
    this.#trailing = undefined
  }
}
