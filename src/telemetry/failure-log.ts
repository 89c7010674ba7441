import { messageOf, systemClock, type Clock } from '../kernel/index.ts'
import type { Logger } from './log.ts'

type Facts = Readonly<Record<string, unknown>>

/**
 * Logs failures that repeat until something is repaired: once when they begin, then at most once a minute,
 * and their end.
 */
export interface FailureLog {
  /**
   * `about` names what failed, such as the watched resource; `facts` may differ from one failure to the next.
   */
  failed(message: string, error: unknown, about?: Readonly<Record<string, string>>, facts?: Facts): void
  /** Logs that it works again, if its failure was logged. */
  recovered(message: string, about?: Readonly<Record<string, string>>): void
  /** The newest failure that has not recovered. */
  last(): string | undefined
}

const REPEAT_MS = 60_000
/** A different error of the same thing is logged sooner. */
const CHANGED_MS = 5_000

interface Trouble {
  readonly text: string
  readonly loggedAt: number
  readonly suppressed: number
}

export function failureLog(log: Pick<Logger, 'warn' | 'info'>, clock: Clock = systemClock): FailureLog {
  /** The last one is the newest. */
  const troubles = new Map<string, Trouble>()
  const keyOf = (message: string, about: object): string => `${message} ${JSON.stringify(about)}`
  return {
    failed(message, error, about = {}, facts = {}) {
      const key = keyOf(message, about)
      const text = messageOf(error)
      const before = troubles.get(key)
      const now = clock.elapsed()
      troubles.delete(key)
      const pauseMs = before?.text === text ? REPEAT_MS : CHANGED_MS
      if (before !== undefined && now - before.loggedAt < pauseMs) {
        troubles.set(key, { text: before.text, loggedAt: before.loggedAt, suppressed: before.suppressed + 1 })
        return
      }
      troubles.set(key, { text, loggedAt: now, suppressed: 0 })
      const suppressed = before?.suppressed ?? 0
      log.warn({ ...about, ...facts, failure: text, ...(suppressed > 0 && { suppressed }) }, message)
    },
    recovered(message, about = {}) {
      if (troubles.delete(keyOf(message, about))) log.info({ ...about, from: message }, 'Recovered')
    },
    last: () => [...troubles.values()].at(-1)?.text,
  }
}
