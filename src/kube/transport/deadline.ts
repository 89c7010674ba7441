import type { Clock } from '../../kernel/index.ts'

/**
 * The end of a call: its time is up, or its caller wants it no more.
 *
 * Cheap where nothing of the sort happens, which is nearly always: a timer and a listener, and an abort signal only for
 * those who ask for one.
 */
export class Deadline implements Disposable {
  readonly #outer: AbortSignal | undefined
  readonly #cancelTimer: () => void
  #reason: Error | undefined
  #isExpired = false
  #onOver: ((reason: Error) => void) | undefined
  #abort: AbortController | undefined

  constructor(clock: Clock, ms: number, outer: AbortSignal | undefined) {
    this.#outer = outer
    this.#cancelTimer = clock.after(ms, () => {
      this.#isExpired = true
      this.#end(new Error(`no answer within ${ms} ms`))
    })
    if (outer?.aborted) this.#onOuterAbort()
    else outer?.addEventListener('abort', this.#onOuterAbort, { once: true })
  }

  /** Absent: it goes on. */
  get reason(): Error | undefined {
    return this.#reason
  }

  /** It was the time, not the caller. */
  get isExpired(): boolean {
    return this.#isExpired
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController()
    if (this.#reason !== undefined) this.#abort.abort(this.#reason)
    return this.#abort.signal
  }

  /** Whoever waits for something at the moment; the one before no longer does. */
  whenOver(listener: ((reason: Error) => void) | undefined): void {
    this.#onOver = listener
    if (this.#reason !== undefined) listener?.(this.#reason)
  }

  /** The answer has begun: from now on only the caller ends it. */
  begun(): void {
    this.#cancelTimer()
  }

  [Symbol.dispose](): void {
    this.#cancelTimer()
    this.#outer?.removeEventListener('abort', this.#onOuterAbort)
  }

  readonly #onOuterAbort = (): void => {
    const reason: unknown = this.#outer?.reason
    this.#end(reason instanceof Error ? reason : new Error('the call was given up', { cause: reason }))
  }

  #end(reason: Error): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    this.#abort?.abort(reason)
    this.#onOver?.(reason)
  }
}
