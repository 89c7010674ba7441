const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/**
 * How long, in at most two units: `8s`, `3m 12s`, `2h 5m`, `4d 3h`, `67d`.
 * A clock that differs a little between server and browser shows `0s`, never a negative age.
 */
export function durationText(ms: number): string {
  const elapsed = Math.max(0, ms)
  if (elapsed < MINUTE) return `${Math.floor(elapsed / SECOND)}s`
  if (elapsed < HOUR) return pair(elapsed, MINUTE, 'm', SECOND, 's')
  if (elapsed < DAY) return pair(elapsed, HOUR, 'h', MINUTE, 'm')
  if (elapsed < 30 * DAY) return pair(elapsed, DAY, 'd', HOUR, 'h')
  return `${Math.floor(elapsed / DAY)}d`
}

function pair(ms: number, big: number, bigName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % big) / small)
  return `${Math.floor(ms / big)}${bigName}${rest > 0 ? ` ${rest}${smallName}` : ''}`
}

/** For one step of work, where tenths matter: `0.4 s`, `12 s`, `3m 12s`. */
export function elapsedText(ms: number): string {
  if (ms < 10 * SECOND) return `${(Math.max(0, ms) / SECOND).toFixed(1)} s`
  return ms < MINUTE ? `${Math.floor(ms / SECOND)} s` : durationText(ms)
}

export const ageText = (since: string, now: number): string => durationText(now - Date.parse(since))

/** In the reader's own time zone and habits, to the second. */
export const momentText = (at: string): string =>
  new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** `Today`, `Yesterday` or the date: the heading a moment belongs under. */
export function dayText(at: string, now: number): string {
  const midnight = (ms: number): number => new Date(ms).setHours(0, 0, 0, 0)
  const days = Math.round((midnight(now) - midnight(Date.parse(at))) / DAY)
  if (days <= 0) return 'Today'
  return days === 1 ? 'Yesterday' : new Date(at).toLocaleDateString(undefined, { dateStyle: 'full' })
}
