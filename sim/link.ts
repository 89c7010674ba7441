import type { Life } from './life.ts'

/** How long a caller waits for an answer before it gives up, as the database pool does. */
export const ANSWER_MS = 10_000

/** One call over a connection. */
export interface Call {
  /** The caller no longer waits for the answer. */
  readonly isGivenUp: () => boolean
}

type State = 'open' | 'clogged' | 'partitioned'

/** The connection between one process and one port. */
export class Link {
  readonly port: string
  readonly #life: Life
  readonly #answerMs: number
  #state: State = 'open'
  #waiting: (() => void)[] = []

  constructor(port: string, life: Life, answerMs: number) {
    this.port = port
    this.#life = life
    this.#answerMs = answerMs
  }

  set(state: State): void {
    if (this.#state === state) return
    this.#life.timeline.add(this.#life.name, `connection to ${this.port} is ${state}`)
    this.#state = state
    if (state !== 'open') return
    for (const resume of this.#waiting.splice(0)) this.#life.world.after(this.#life.latency(), resume)
  }

  get isOpen(): boolean {
    return this.#state === 'open'
  }

  /** A message in either direction. It waits while the connection is clogged. False: it is lost. */
  async carry({ isGivenUp }: Call): Promise<boolean> {
    if (this.isOpen) return true
    while (this.#state === 'clogged') await this.#opened()
    // The caller has closed the connection, and what waited in it is gone.
    return this.isOpen && !isGivenUp()
  }

  /** A message of a stream. It waits while the connection is blocked in any way. */
  async carryInOrder(): Promise<void> {
    while (this.#state !== 'open') await this.#opened()
  }

  /** The answer to a call, or an error when it takes longer than a caller waits or the caller aborts. */
  answered<T>(work: (call: Call) => Promise<T>, gaveUp: (why: string) => Error, signal?: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      const limit = this.#answerMs
      let isGivenUp = false
      const onAbort = (): void => {
        isGivenUp = true
        cancel()
        reject(signal?.reason)
      }
      const cancel = this.#life.clock.after(limit, () => {
        isGivenUp = true
        signal?.removeEventListener('abort', onAbort)
        reject(gaveUp(`no answer within ${limit} ms`))
      })
      const end = (): void => {
        cancel()
        signal?.removeEventListener('abort', onAbort)
      }
      if (signal?.aborted) onAbort()
      else signal?.addEventListener('abort', onAbort, { once: true })
      work({ isGivenUp: () => isGivenUp }).then(
        (answer) => {
          end()
          return resolve(answer)
        },
        (error: unknown) => {
          end()
          reject(error)
        },
      )
    })
  }

  #opened(): Promise<void> {
    return new Promise((resolve) => void this.#waiting.push(resolve))
  }
}

/** Never: what waits for the answer to a lost message waits until its deadline. */
export const never = (): Promise<never> => new Promise(() => {})
