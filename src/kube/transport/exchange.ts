import type { Dispatcher } from 'undici'
import type { Deadline } from './deadline.ts'

export type Headers = Readonly<Record<string, string>>

/** A whole answer, as it came. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/**
 * Sends a request and collects its answer. Without the stream that undici makes of an answer where it is asked for one: the answers
 * of an API server are small, and the stream costs more than all that is done with them.
 *
 * Rejects when the deadline passes, also while the request still waits for a connection.
 */
export const exchange = (road: Dispatcher, request: Dispatcher.DispatchOptions, limit: Deadline): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const collecting = new Collecting(limit, resolve, reject)
    limit.whenOver((reason) => collecting.giveUp(reason))
    if (limit.reason === undefined) road.dispatch(request, collecting)
  })

class Collecting implements Dispatcher.DispatchHandler {
  readonly #limit: Deadline
  readonly #resolve: (answer: Answer) => void
  readonly #reject: (error: Error) => void
  readonly #chunks: Buffer[] = []
  #controller: Dispatcher.DispatchController | undefined
  #status = 0
  #headers: Headers = {}

  constructor(limit: Deadline, resolve: (answer: Answer) => void, reject: (error: Error) => void) {
    this.#limit = limit
    this.#resolve = resolve
    this.#reject = reject
  }

  giveUp(reason: Error): void {
    this.#reject(reason)
    this.#controller?.abort(reason)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // Given up while it waited for a connection.
    if (this.#limit.reason !== undefined) controller.abort(this.#limit.reason)
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: object): void {
    this.#status = status
    this.#headers = headers as Headers
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    this.#limit.whenOver(undefined)
    const [first, ...others] = this.#chunks
    const whole = first === undefined || others.length > 0 ? Buffer.concat(this.#chunks) : first
    this.#resolve({ status: this.#status, headers: this.#headers, text: whole.toString('utf8') })
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#limit.whenOver(undefined)
    this.#reject(error)
  }
}
