import { masker, type Masker } from '../kernel/index.ts'

export const REDACTED = '[redacted]'

/** Takes secrets out of what is about to leave the process. */
export type Scrub = Masker

/**
 * What looks like a secret wherever it came from: our tokens and invitations, JWTs, authorization headers, credentials in
 * URLs. The lookbehinds let each run of characters be tried once, so that no text takes quadratic time.
 */
const SHAPES: ReadonlyArray<readonly [RegExp, string]> = [
  [/(?:\b|(?<=%[0-9a-f]{2}))(cael|cinv)_[A-Za-z0-9_-]{8,}/gi, `$1_${REDACTED}`],
  [/(?<![\w-])(?=[\w-]*\.[\w-])([\w-]*?)\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*){0,3}/g, `$1${REDACTED}`],
  [/\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, `$1 ${REDACTED}`],
  [/(?<![a-z0-9+.-])([a-z0-9+.-]+:\/\/)[^\s/"']+@/gi, `$1${REDACTED}@`],
]

/**
 * Knows the secrets of the configuration by value and others by shape.
 *
 * Masking is the last line: code that handles a secret keeps it out of messages in the first place.
 */
export const scrubber = (secrets: Iterable<string>): Scrub => masker(secrets, { mask: REDACTED, shapes: SHAPES })
