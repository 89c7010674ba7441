import { expect } from 'vitest'

/**
 * The secret of all tests on secrets. Quotes, slashes, signs, an umlaut, a backslash and a line end make each of its spellings
 * differ from the others.
 */
export const SENTINEL = `s3ntinel"/+ ü%q7\nzw31te\\Z3ile <&>'k3y= $ok_w0rt`

/** For HTTP headers, command lines and other places that take no line end. */
export const SENTINEL_LINE = SENTINEL.replace('\n', '')

/** As many characters of a secret, in any spelling, are a leak. */
const PART = 12

type Encode = (text: string) => string

const json: Encode = (text) => JSON.stringify(text).slice(1, -1)
const go: Encode = (text) => json(text).replaceAll(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`)
const url: Encode = (text) => encodeURIComponent(text)
const doubled: Encode = (text) => text.replaceAll("'", "''")

/** Written down here once more, so that no test relies on what the masker knows. A part is spelled like the whole. */
const ENCODINGS: Readonly<Record<string, Encode>> = {
  'as it is': (text) => text,
  JSON: json,
  'JSON in JSON': (text) => json(json(text)),
  'JSON in JSON in JSON': (text) => json(json(json(text))),
  'Go JSON': go,
  'Go %q of Go JSON': (text) => json(go(text)),
  'Go %+q': (text) => go(text).replaceAll('ü', '\\u00fc'),
  'Go bytes': (text) => json(text).replaceAll('ü', '\\xc3\\xbc'),
  'YAML single-quoted': doubled,
  'YAML single-quoted, folded': (text) => doubled(text).replaceAll('\n', '\n\n    '),
  'YAML double-quoted': (text) => json(text).replaceAll('ü', '\\xFC').replaceAll(' ', '\\\n      \\ '),
  'YAML literal block': (text) => text.replaceAll('\n', '\n        '),
  'YAML folded block': (text) => text.replaceAll(' ', '\n  ').replaceAll('\n', '\n  '),
  'Windows line ends': (text) => text.replaceAll('\n', '\r\n'),
  'lines joined by spaces': (text) => text.replaceAll('\n', ' '),
  'lines joined by nothing': (text) => text.replaceAll('\n', ''),
  shell: (text) => text.replaceAll("'", "'\\''"),
  'shell without quotes': (text) =>
    text.replaceAll(/[!-~]/g, (sign) => (/[\w./:=@%+,-]/.test(sign) ? sign : `\\${sign}`)),
  'shell in double quotes': (text) => text.replaceAll(/["$`\\]/g, String.raw`\$&`),
  URL: url,
  'URL in lower case': (text) => url(text).replaceAll(/%../g, (byte) => byte.toLowerCase()),
  'URL of Go': (text) => url(text).replaceAll(/%(?:2B|26|24|3D)/g, decodeURIComponent),
  'URL twice': (text) => url(url(text)),
  form: (text) => new URLSearchParams({ a: text }).toString().slice(2),
  'JSON in a URL': (text) => url(json(text)),
}

interface Base64 {
  /** What is encoded together with the secret. */
  readonly before?: string
  readonly after?: string
  readonly inner?: Encode
  readonly outer?: Encode
}

const BASE64: Readonly<Record<string, Base64>> = {
  base64: {},
  base64url: { outer: (text) => text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '') },
  'base64 of user:secret': { before: 'u:' },
  'base64 of user:secret and more': { before: 'us:', after: ':more' },
  'base64 of a longer text': { before: 'use:', after: '\nmore' },
  'base64 in lines': { before: 'user:', outer: (text) => text.replaceAll(/.{20}/g, '$&\n  ') },
  'base64 in a URL': { outer: url },
  'base64 of JSON': { before: '{"a":"', inner: json, after: '"}' },
  'base64 of a URL': { before: 'postgres://joe:', inner: url, after: '@db' },
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** The characters of base64 that hold nothing but `text`, for each place where a quantum of three bytes may begin. */
const cores = (text: string): string[] =>
  [0, 1, 2].map((shift) => {
    const bytes = Buffer.byteLength(text) + shift
    return base64('x'.repeat(shift) + text).slice(Math.ceil((shift * 8) / 6), Math.floor((bytes * 8) / 6))
  })

/** How programs write a secret. */
export function sentinelSpellings(secret: string = SENTINEL): ReadonlyMap<string, string> {
  const asIs: Encode = (text) => text
  const plain = Object.entries(ENCODINGS).map(([name, encode]): [string, string] => [name, encode(secret)])
  const encoded = Object.entries(BASE64).map(
    ([name, { before = '', inner = asIs, after = '', outer = asIs }]): [string, string] => [
      name,
      outer(base64(before + inner(secret) + after)),
    ],
  )
  const twice = base64(JSON.stringify({ auth: base64(`user:${secret}`) }))
  return new Map([...plain, ...encoded, ['base64 of base64', twice]])
}

const partsKnown = new Map<string, ReadonlyMap<string, string>>()

/** Every spelling of every part of a secret that is long enough to be a leak, with the name of the spelling. */
function partsOf(secret: string): ReadonlyMap<string, string> {
  const known = partsKnown.get(secret)
  if (known !== undefined) return known
  const parts = new Map<string, string>()
  for (let at = 0; at === 0 || at + PART <= secret.length; at++) {
    const part = secret.slice(at, at + PART)
    for (const [name, encode] of Object.entries(ENCODINGS)) parts.set(encode(part), name)
    for (const [name, { inner, outer }] of Object.entries(BASE64)) {
      for (const core of cores(inner?.(part) ?? part))
        parts.set(name === 'base64 in lines' ? core : (outer?.(core) ?? core), name)
    }
    for (const core of cores(part).flatMap(cores)) parts.set(core, 'base64 of base64')
  }
  partsKnown.set(secret, parts)
  return parts
}

/** Which spellings of a secret, or of 12 characters of it, are in a text. */
export function sentinelIn(text: string, secret: string = SENTINEL): string[] {
  const unwrapped = text.replaceAll(/\s+/g, '')
  const found = [...partsOf(secret)].filter(([part]) => text.includes(part) || unwrapped.includes(part))
  return [...new Set(found.map(([part, name]) => `${name}: ${part}`))]
}

/** Fails when any spelling of the sentinel, or of 12 characters of it, is in a text or in an object as JSON. */
export function expectNoSentinel(what: unknown, secret: string = SENTINEL): void {
  const text = typeof what === 'string' ? what : JSON.stringify(what)
  expect(sentinelIn(text, secret), text).toEqual([])
}
