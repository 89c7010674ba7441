import { elapsedSince, instantOf, type Clock, type Instant } from '../../kernel/index.ts'
import { raise } from '../errors.ts'
import type { Transport } from './transport.ts'

export interface OpenStream extends Disposable {
  /** Something has arrived. */
  heard(): void
}

interface Listening {
  heardAt: Instant
  readonly hangUp: () => void
}

/**
 * Counts the open watches of a transport. One too many fails at once and says why: waiting for a connection would end
 * with a timeout each time, because watches are never closed for good.
 */
export class OpenStreams {
  readonly #clock: Clock
  readonly #max: number
  readonly #open = new Set<Listening>()

  constructor(clock: Clock, max: number) {
    this.#clock = clock
    this.#max = max
  }

  /** `doing` completes the sentence "failed to …". */
  enter(doing: string, hangUp: () => void): OpenStream {
    const { size } = this.#open
    if (size >= this.#max)
      throw raise.KubeTooManyWatches(`failed to ${doing}: ${size} watches are open, and ${this.#max} are allowed`)
    const listening: Listening = { heardAt: instantOf(this.#clock), hangUp }
    this.#open.add(listening)
    return {
      heard: () => void (listening.heardAt = instantOf(this.#clock)),
      [Symbol.dispose]: () => void this.#open.delete(listening),
    }
  }

  /** Ends the streams on which nothing has arrived since then. */
  hangUpSilent(since: Instant): void {
    const silentMs = elapsedSince(this.#clock, since)
    for (const { heardAt, hangUp } of this.#open) if (elapsedSince(this.#clock, heardAt) >= silentMs) hangUp()
  }
}

/** Throws if a transport allows fewer watches than `needed`. `remedy` is a sentence. */
export function requireStreams({ maxStreams = Infinity }: Transport, needed: number, remedy: string): void {
  if (needed <= maxStreams) return
  const text = `${needed} watches are needed, and ${maxStreams} are allowed for one process`
  throw raise.KubeTooManyWatches(`failed to start: ${text}. ${remedy}`)
}
