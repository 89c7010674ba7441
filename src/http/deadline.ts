import type { Clock } from '../kernel/index.ts'
import { HttpError } from './errors.ts'

/**
 * Ends a call when its time is up or when its caller aborts it.
 * Costs one timer and one listener; an abort signal is made only on demand.
 */
export class Deadline implements Disposable {
  readonly #outer: AbortSignal | undefined
  readonly #cancelTimer: () => void
  #reason: Error | undefined
  #onOver: ((reason: Error) => void) | undefined
  #abort: AbortController | undefined

  constructor(clock: Clock, ms: number, outer: AbortSignal | undefined) {
    this.#outer = outer
    this.#cancelTimer = clock.after(ms, () => this.end(new HttpError('timedOut', `no answer within ${ms} ms`)))
    if (outer?.aborted) this.#onOuterAbort()
    else outer?.addEventListener('abort', this.#onOuterAbort, { once: true })
  }

  /** Absent until the call has ended. */
  get reason(): Error | undefined {
    return this.#reason
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController()
    if (this.#reason !== undefined) this.#abort.abort(this.#reason)
    return this.#abort.signal
  }

  /** Sets the one listener for the end, or removes it. */
  whenOver(listener: ((reason: Error) => void) | undefined): void {
    this.#onOver = listener
    if (this.#reason !== undefined) listener?.(this.#reason)
  }

  /** Stops the timer once the answer has begun: from now on only the caller ends it. */
  begun(): void {
    this.#cancelTimer()
  }

  [Symbol.dispose](): void {
    this.#cancelTimer()
    this.#outer?.removeEventListener('abort', this.#onOuterAbort)
  }

  readonly #onOuterAbort = (): void => {
    const reason: unknown = this.#outer?.reason
    this.end(reason instanceof Error ? reason : new Error('the call was aborted', { cause: reason }))
  }

  /** Ends the call now, unless it has ended before. */
  end(reason: Error): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    this.#abort?.abort(reason)
    this.#onOver?.(reason)
  }
}
