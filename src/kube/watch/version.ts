/**
 * The order of two resourceVersions of one resource: negative, zero or positive as `a` is older, equal or newer.
 * `undefined`: they cannot be compared, and the caller must choose the safe side.
 *
 * Kubernetes guarantees comparable integers; other servers behind the same API need not. They have no upper bound and
 * are compared as text: a longer number is a greater one.
 */
export function compareVersions(a: string | undefined, b: string | undefined): number | undefined {
  if (a === undefined || b === undefined) return undefined
  if (a === b) return 0
  if (!isNumber(a) || !isNumber(b)) return undefined
  if (a.length !== b.length) return a.length - b.length
  return a < b ? -1 : 1
}

/** True only if it is certain. */
export const isOlder = (a: string | undefined, b: string | undefined): boolean => (compareVersions(a, b) ?? 0) < 0

/** True only if it is certain. */
export const isNotNewer = (a: string | undefined, b: string | undefined): boolean => (compareVersions(a, b) ?? 1) <= 0

const ZERO = 48
const NINE = 57

/** Written by hand because it runs for every event. A leading zero would break the comparison by length. */
function isNumber(text: string): boolean {
  if (text.length === 0 || text.charCodeAt(0) === ZERO) return false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < ZERO || code > NINE) return false
  }
  return true
}
