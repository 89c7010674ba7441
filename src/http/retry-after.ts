import { systemClock, type Clock } from '../kernel/index.ts'

/** The longest pause that a server can impose. A key that waits longer would look forgotten. */
export const LONGEST_RETRY_AFTER_MS = 300_000

type HeaderValue = string | readonly string[] | undefined

/**
 * The pause that a server asks for with Retry-After, at most `LONGEST_RETRY_AFTER_MS`. `undefined` without the header,
 * and for a pause that is zero, in the past or malformed.
 *
 * A date is compared with the `Date` header of the same answer, so that a difference between the clocks does not matter.
 */
export function retryAfterIn(
  headers: Readonly<Record<string, HeaderValue>>,
  clock: Clock = systemClock,
): number | undefined {
  const value = headers['retry-after']
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  if (/^\d+(\.\d+)?$/.test(text)) return retryAfterOfSeconds(Number(text))
  const until = dateIn(text)
  return until === undefined ? undefined : bounded(until - (dateIn(headers['date']) ?? clock.now()))
}

export const retryAfterOfSeconds = (seconds: number): number | undefined => bounded(seconds * 1000)

const bounded = (ms: number): number | undefined => (ms > 0 ? Math.min(ms, LONGEST_RETRY_AFTER_MS) : undefined)

/** The three date formats of HTTP begin with the name of a day. The format of asctime has no time zone. */
function dateIn(text: HeaderValue): number | undefined {
  if (typeof text !== 'string' || !/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return undefined
  const time = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(time) ? undefined : time
}
