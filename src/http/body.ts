import type { Clock } from '../kernel/index.ts'
import { HttpError } from './errors.ts'

export const tooLarge = (maxBytes: number): HttpError =>
  new HttpError('tooLarge', `the answer has more than ${maxBytes} bytes`)

/** Whether the declared length alone is too large. A length that is absent or malformed decides nothing. */
export const declaresMoreThan = (maxBytes: number, contentLength: unknown): boolean => Number(contentLength) > maxBytes

/** The chunks of a body. Throws as soon as there are more than `maxBytes` bytes, which closes the connection. */
export async function* limited(body: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge(maxBytes)
    yield chunk
  }
}

export const collect = async (body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(limited(body, maxBytes)))

export interface Rate {
  readonly bytes: number
  readonly everyMs: number
}

/** Reports a transfer below a minimum rate, for bodies too large for one deadline. */
export class MinimumRate implements Disposable {
  readonly #clock: Clock
  readonly #least: Rate
  readonly #onSlow: (error: HttpError) => void
  #received = 0
  #cancel: () => void

  constructor(clock: Clock, least: Rate, onSlow: (error: HttpError) => void) {
    this.#clock = clock
    this.#least = least
    this.#onSlow = onSlow
    this.#cancel = clock.after(least.everyMs, this.#check)
  }

  add(bytes: number): void {
    this.#received += bytes
  }

  [Symbol.dispose](): void {
    this.#cancel()
  }

  readonly #check = (): void => {
    const { bytes, everyMs } = this.#least
    if (this.#received < bytes) {
      this.#onSlow(new HttpError('timedOut', `${this.#received} bytes in ${everyMs} ms are fewer than ${bytes}`))
      return
    }
    this.#received = 0
    this.#cancel = this.#clock.after(everyMs, this.#check)
  }
}
