import { raise } from '../errors.ts'
import type { Transport } from './transport.ts'

/**
 * Counts the open watches of a transport. One too many fails at once and says why: waiting for a connection would end
 * with a timeout each time, because watches are never closed for good.
 */
export class OpenStreams {
  readonly #max: number
  #open = 0

  constructor(max: number) {
    this.#max = max
  }

  /** `doing` completes the sentence "failed to …". */
  enter(doing: string): Disposable {
    if (this.#open >= this.#max)
      throw raise.KubeTooManyWatches(`failed to ${doing}: ${this.#open} watches are open, and ${this.#max} are allowed`)
    this.#open++
    return { [Symbol.dispose]: () => void this.#open-- }
  }
}

/** Throws if a transport allows fewer watches than `needed`. `remedy` is a sentence. */
export function requireStreams({ maxStreams = Infinity }: Transport, needed: number, remedy: string): void {
  if (needed <= maxStreams) return
  const text = `${needed} watches are needed, and ${maxStreams} are allowed for one process`
  throw raise.KubeTooManyWatches(`failed to start: ${text}. ${remedy}`)
}
