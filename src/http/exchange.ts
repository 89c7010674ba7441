import type { Dispatcher } from 'undici'
import { declaresMoreThan, tooLarge } from './body.ts'
import type { Deadline } from './deadline.ts'

export type HeaderMap = Readonly<Record<string, string>>

/** A complete answer. */
export interface Answer {
  readonly status: number
  readonly headers: HeaderMap
  readonly text: string
}

/** Learns whether a request is answered at all. */
export interface AnswerWatch {
  /** `giveUp` ends the request. */
  sent(giveUp: (reason: Error) => void): void
  /** The answer has begun, or the connection has failed. Not called when the request is given up. */
  answered(): void
}

/** For every request with a `Deadline`: unlike undici's own time limits it covers the wait for a connection. */
export const NO_OTHER_TIMEOUTS = { headersTimeout: 0, bodyTimeout: 0 } as const

/**
 * Sends a request and collects its answer. It does without a stream for the body, which costs more than the small
 * answers of an API server. Follows no redirects. Rejects at the deadline, also while the request waits for a
 * connection, and as soon as the answer has more than `maxBytes`; both close the connection.
 */
export const exchange = (
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  deadline: Deadline,
  maxBytes: number,
  watch?: AnswerWatch,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const collecting = new Collecting({ deadline, maxBytes, watch, resolve, reject })
    deadline.whenOver((reason) => collecting.giveUp(reason))
    watch?.sent((reason) => collecting.giveUp(reason))
    if (deadline.reason === undefined) dispatcher.dispatch(request, collecting)
  })

interface Exchange {
  readonly deadline: Deadline
  readonly maxBytes: number
  readonly watch: AnswerWatch | undefined
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: Error) => void
}

class Collecting implements Dispatcher.DispatchHandler {
  readonly #exchange: Exchange
  readonly #chunks: Buffer[] = []
  #controller: Dispatcher.DispatchController | undefined
  #status = 0
  #size = 0
  #headers: HeaderMap = {}
  #givenUp: Error | undefined

  constructor(one: Exchange) {
    this.#exchange = one
  }

  giveUp(reason: Error): void {
    this.#givenUp ??= reason
    this.#exchange.reject(reason)
    this.#controller?.abort(reason)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // It was given up while it waited for a connection.
    if (this.#givenUp !== undefined) controller.abort(this.#givenUp)
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: object): void {
    this.#exchange.watch?.answered()
    this.#status = status
    this.#headers = headers as HeaderMap
    const { maxBytes } = this.#exchange
    if (declaresMoreThan(maxBytes, this.#headers['content-length'])) this.giveUp(tooLarge(maxBytes))
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    const { maxBytes } = this.#exchange
    this.#size += chunk.length
    if (this.#size > maxBytes) this.giveUp(tooLarge(maxBytes))
    else this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    this.#exchange.deadline.whenOver(undefined)
    const [first, ...others] = this.#chunks
    const whole = first === undefined || others.length > 0 ? Buffer.concat(this.#chunks) : first
    this.#exchange.resolve({ status: this.#status, headers: this.#headers, text: whole.toString('utf8') })
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    // A request that was given up and sent again has a new listener.
    if (this.#givenUp !== undefined) return
    this.#exchange.deadline.whenOver(undefined)
    this.#exchange.watch?.answered()
    this.#exchange.reject(error)
  }
}
