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
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const collecting = new Collecting(deadline, maxBytes, resolve, reject)
    deadline.whenOver((reason) => collecting.giveUp(reason))
    if (deadline.reason === undefined) dispatcher.dispatch(request, collecting)
  })

class Collecting implements Dispatcher.DispatchHandler {
  readonly #deadline: Deadline
  readonly #maxBytes: number
  readonly #resolve: (answer: Answer) => void
  readonly #reject: (error: Error) => void
  readonly #chunks: Buffer[] = []
  #controller: Dispatcher.DispatchController | undefined
  #status = 0
  #size = 0
  #headers: HeaderMap = {}

  constructor(deadline: Deadline, maxBytes: number, resolve: (answer: Answer) => void, reject: (error: Error) => void) {
    this.#deadline = deadline
    this.#maxBytes = maxBytes
    this.#resolve = resolve
    this.#reject = reject
  }

  giveUp(reason: Error): void {
    this.#reject(reason)
    this.#controller?.abort(reason)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // The deadline passed while the request waited for a connection.
    if (this.#deadline.reason !== undefined) controller.abort(this.#deadline.reason)
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: object): void {
    this.#status = status
    this.#headers = headers as HeaderMap
    if (declaresMoreThan(this.#maxBytes, this.#headers['content-length'])) this.giveUp(tooLarge(this.#maxBytes))
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length
    if (this.#size > this.#maxBytes) this.giveUp(tooLarge(this.#maxBytes))
    else this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    this.#deadline.whenOver(undefined)
    const [first, ...others] = this.#chunks
    const whole = first === undefined || others.length > 0 ? Buffer.concat(this.#chunks) : first
    this.#resolve({ status: this.#status, headers: this.#headers, text: whole.toString('utf8') })
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#deadline.whenOver(undefined)
    this.#reject(error)
  }
}
