export const REDACTED = '[redacted]'

/** Takes secrets out of a text that is about to leave the process. */
export type Scrub = (text: string) => string

/** Shorter values would be found inside ordinary words. */
const SHORTEST_SECRET = 6

/** What looks like a secret wherever it came from: our tokens, JWTs, bearer headers, credentials in URLs. */
const SHAPES: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bcael_[A-Za-z0-9_-]{8,}/g, `cael_${REDACTED}`],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]*){0,3}/g, REDACTED],
  [/\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, `$1 ${REDACTED}`],
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@"']+@/gi, `$1${REDACTED}@`],
]

/**
 * Knows the secrets of the configuration by value and others by shape.
 *
 * Masking is the last line: code that handles a secret keeps it out of messages in the first place.
 */
export function scrubber(secrets: readonly string[]): Scrub {
  const asJson = (value: string): string => JSON.stringify(value).slice(1, -1)
  const known = [...new Set(secrets.flatMap((value) => [value, asJson(value), encodeURIComponent(value)]))]
    .filter((value) => value.length >= SHORTEST_SECRET)
    .toSorted((a, b) => b.length - a.length)
  return (text) => {
    const masked = known.reduce((rest, value) => rest.replaceAll(value, REDACTED), text)
    return SHAPES.reduce((rest, [shape, mask]) => rest.replace(shape, mask), masked)
  }
}
