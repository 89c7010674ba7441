/*
 * Views: a text as bytes, and the same text after undoing an encoding. Each byte knows the range of the text that it was
 * written as, so that a match in a view becomes a range of the original text.
 */

export interface View {
  /** UTF-8 bytes, or `GAP`. */
  readonly codes: Uint16Array
  /** The range of the text, in UTF-16 code units, that a byte was written as. */
  readonly from: Uint32Array
  readonly to: Uint32Array
}

/** Stands between two stretches of a view that do not follow each other in the text. */
export const GAP = 256

/** Longest chain of encodings that is undone: base64 of a JSON text in a JSON text, for example. */
const MAX_DEPTH = 3
/** Bytes of all views together, as a multiple of the text: bounds the work for texts that decode in many ways. */
const MAX_GROWTH = 32

/** The text itself first, then the simplest decodings. Valid until the next call. */
export function viewsOf(text: string): View[] {
  scratch.used = 0
  const views = [encoded(text)]
  let left = MAX_GROWTH * (views[0]?.codes.length ?? 0)
  let latest = views
  for (let depth = 0; depth < MAX_DEPTH && left > 0; depth++) {
    const next: View[] = []
    for (const view of latest) {
      const source = depth === 0 ? view : legible(view)
      if (source.codes.length < LEGIBLE) continue
      for (const decode of DECODERS) {
        const decoded = left > 0 ? decode(source) : undefined
        if (decoded === undefined) continue
        left -= decoded.codes.length
        next.push(decoded)
      }
    }
    views.push(...next)
    latest = next
  }
  return views
}

const [BACKSLASH, PERCENT] = [0x5c, 0x25]

const isSpace = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d)

/** Memory for the views of one text of ordinary length: allocating it for each would cost more than all the rest. */
const SCRATCH = 65_536
const scratch = {
  codes: new Uint16Array(SCRATCH),
  from: new Uint32Array(SCRATCH),
  to: new Uint32Array(SCRATCH),
  used: 0,
}

class Builder {
  readonly #codes: Uint16Array
  readonly #from: Uint32Array
  readonly #to: Uint32Array
  readonly #start: number
  #end: number

  constructor(capacity: number) {
    const isLarge = scratch.used + capacity > SCRATCH
    this.#codes = isLarge ? new Uint16Array(capacity) : scratch.codes
    this.#from = isLarge ? new Uint32Array(capacity) : scratch.from
    this.#to = isLarge ? new Uint32Array(capacity) : scratch.to
    this.#start = this.#end = isLarge ? 0 : scratch.used
  }

  get length(): number {
    return this.#end - this.#start
  }

  add(code: number, from: number, to: number): void {
    this.#codes[this.#end] = code
    this.#from[this.#end] = from
    this.#to[this.#end++] = to
  }

  addCharacter(point: number, from: number, to: number): void {
    if (point < 0x80) return this.add(point, from, to)
    const tail = point < 0x8_00 ? 1 : point < 0x1_00_00 ? 2 : 3
    this.add((LEAD[tail] ?? 0) | (point >> (6 * tail)), from, to)
    for (let left = tail - 1; left >= 0; left--) this.add(0x80 | ((point >> (6 * left)) & 0x3f), from, to)
  }

  addGap(at: number): void {
    if (this.length === 0 || this.#codes[this.#end - 1] !== GAP) this.add(GAP, at, at)
  }

  view(): View {
    const [start, end] = [this.#start, this.#end]
    if (this.#codes === scratch.codes) scratch.used = end
    return {
      codes: this.#codes.subarray(start, end),
      from: this.#from.subarray(start, end),
      to: this.#to.subarray(start, end),
    }
  }
}

/** First bytes of UTF-8 sequences, by the number of bytes that follow. */
const LEAD = [0, 0xc0, 0xe0, 0xf0] as const

/** The bytes of a word to look for. */
export const bytesOf = (text: string): Uint16Array => encoded(text).codes.slice()

/** Half of a surrogate pair is written as the three bytes that UTF-8 would give it. */
function encoded(text: string): View {
  const built = new Builder(3 * text.length)
  for (let at = 0; at < text.length;) {
    const point = text.codePointAt(at) ?? 0
    const next = at + (point > 0xff_ff ? 2 : 1)
    built.addCharacter(point, at, next)
    at = next
  }
  return built.view()
}

const ESCAPES: Readonly<Record<string, number>> = {
  n: 0x0a,
  t: 0x09,
  r: 0x0d,
  b: 0x08,
  f: 0x0c,
  a: 0x07,
  v: 0x0b,
  e: 0x1b,
  '0': 0,
  '"': 0x22,
  "'": 0x27,
  '/': 0x2f,
  '\\': BACKSLASH,
  '`': 0x60,
  ' ': 0x20,
  N: 0x85,
  _: 0xa0,
  L: 0x20_28,
  P: 0x20_29,
}
const ESCAPED = new Map(Object.entries(ESCAPES).map(([letter, code]) => [letter.charCodeAt(0), code]))
/** How many hexadecimal digits follow `\x`, `\u` and `\U`. */
const DIGITS = new Map([
  [0x78, 2],
  [0x75, 4],
  [0x55, 8],
])

/** The number behind `count` hexadecimal digits; -1: they are none; -2: they are, and the view ends before the last. */
function hexAt(codes: Uint16Array, at: number, count: number): number {
  let value = 0
  for (let place = at; place < at + count; place++) {
    if (place >= codes.length) return -2
    const digit = HEX[codes[place] ?? 0] ?? -1
    if (digit < 0) return -1
    value = value * 16 + digit
  }
  return value
}
const HEX = new Int8Array(GAP + 1).fill(-1)
for (let digit = 0; digit < 16; digit++) {
  for (const text of [digit.toString(16), digit.toString(16).toUpperCase()]) HEX[text.charCodeAt(0)] = digit
}

/**
 * Backslash escapes of JSON, Go, YAML, shells and JavaScript, once. An escape that the end of the text has cut is left
 * out, so that the rest in front of it can be recognised.
 */
function unescaped({ codes, from, to }: View): View | undefined {
  if (!codes.includes(BACKSLASH)) return undefined
  const built = new Builder(2 * codes.length)
  const copy = (at: number): void => built.add(codes[at] ?? 0, from[at] ?? 0, to[at] ?? 0)
  const end = (at: number): number => to[Math.min(at, codes.length) - 1] ?? 0
  let [isInsideBytes, isChanged] = [false, false]
  for (let at = 0; at < codes.length;) {
    const follower = codes[at + 1]
    if (codes[at] !== BACKSLASH) {
      isInsideBytes = false
      copy(at++)
      continue
    }
    isChanged = true
    if (follower === undefined) break
    const start = from[at] ?? 0
    const digits = DIGITS.get(follower)
    const plain = ESCAPED.get(follower)
    if (digits !== undefined) {
      let [value, next] = [hexAt(codes, at + 2, digits), at + 2 + digits]
      if (value === -2) break
      if (value >= 0 && value <= 0x10_ff_ff) {
        const low = isHigh(value) && codes[next] === BACKSLASH ? hexAt(codes, next + 2, 4) : -1
        if (low >= 0xdc_00 && low <= 0xdf_ff) {
          value = 0x1_00_00 + ((value - 0xd8_00) << 10) + (low - 0xdc_00)
          next += 6
        }
        // Go writes the bytes of UTF-8 as \x, YAML writes characters.
        isInsideBytes = digits === 2 && value >= 0x80 && (isInsideBytes || isLeadByte(codes, value, next))
        if (isInsideBytes) built.add(value, start, end(next))
        else built.addCharacter(value, start, end(next))
        at = next
        continue
      }
    }
    isInsideBytes = false
    if (plain !== undefined) {
      built.addCharacter(plain, start, end(at + 2))
      at += 2
    } else if (follower === 0x0a || follower === 0x0d) {
      // YAML: a line that ends in a backslash continues after the indentation of the next one.
      for (at += 2; isSpace(codes[at] ?? GAP);) at++
    } else if (isPunctuation(follower)) {
      // A shell: a backslash before a character that has a meaning there.
      built.add(follower, start, end(at + 2))
      at += 2
    } else copy(at++)
  }
  return isChanged ? built.view() : undefined
}

const isPunctuation = (code: number): boolean => code > 0x20 && code < 0x7f && !/\w/.test(String.fromCharCode(code))

const isHigh = (value: number): boolean => value >= 0xd8_00 && value <= 0xdb_ff

const isLeadByte = (codes: Uint16Array, value: number, next: number): boolean =>
  value >= 0xc2 && value <= 0xf4 && codes[next] === BACKSLASH && (hexAt(codes, next + 2, 2) & 0xc0) === 0x80

/** `%2F` and `%2f`, once. A `+` needs no care here: the matcher ignores it, and spaces. */
function percentDecoded({ codes, from, to }: View): View | undefined {
  if (!codes.includes(PERCENT)) return undefined
  const built = new Builder(codes.length)
  let isChanged = false
  for (let at = 0; at < codes.length;) {
    const value = codes[at] === PERCENT ? hexAt(codes, at + 1, 2) : -1
    if (value !== -1) isChanged = true
    if (value === -2) break
    if (value >= 0) built.add(value, from[at] ?? 0, to[at + 2] ?? 0)
    else built.add(codes[at] ?? 0, from[at] ?? 0, to[at] ?? 0)
    at += value >= 0 ? 3 : 1
  }
  return isChanged ? built.view() : undefined
}

/** Both alphabets of base64. */
const SEXTETS = new Int8Array(GAP + 1).fill(-1)
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
for (let value = 0; value < ALPHABET.length; value++) SEXTETS[ALPHABET.charCodeAt(value)] = value
SEXTETS['-'.charCodeAt(0)] = 62
SEXTETS['_'.charCodeAt(0)] = 63

/**
 * Every stretch of base64, lines wrapped or not, decoded from its `phase`-th character on: where a quantum of four begins
 * is not known when the stretch is part of a longer word or was cut.
 */
const base64Decoded =
  (phase: number) =>
  ({ codes, from, to }: View): View | undefined => {
    const built = new Builder(codes.length + 2)
    let [seen, bits, held, start] = [0, 0, 0, 0]
    for (let at = 0; at < codes.length; at++) {
      const sextet = SEXTETS[codes[at] ?? GAP] ?? -1
      if (sextet < 0) {
        if (isSpace(codes[at] ?? GAP)) continue
        built.addGap(from[at] ?? 0)
        seen = bits = held = 0
        continue
      }
      if (seen++ < phase) continue
      const began = start
      held = ((held << 6) | sextet) & 0xff_ff
      bits += 6
      start = from[at] ?? 0
      if (bits < 8) continue
      bits -= 8
      built.add((held >> bits) & 0xff, began, to[at] ?? 0)
    }
    return built.length < 2 ? undefined : built.view()
  }

/** Shorter stretches of a decoded view are not decoded again. */
const LEGIBLE = 8

/**
 * The stretches of a decoded view that are text. Most stretches that look like base64 are not, and decoding their bytes
 * again would be wasted work.
 */
function legible({ codes, from, to }: View): View {
  const built = new Builder(codes.length + 2)
  for (let at = 0; at < codes.length;) {
    let end = at
    for (let step = characterAt(codes, end); step > 0; step = characterAt(codes, end)) end += step
    if (end - at >= LEGIBLE)
      for (let one = at; one < end; one++) built.add(codes[one] ?? 0, from[one] ?? 0, to[one] ?? 0)
    if (end < codes.length) built.addGap(from[end] ?? 0)
    at = end + 1
  }
  return built.view()
}

/** The bytes of the printable character at `at`, or 0. */
function characterAt(codes: Uint16Array, at: number): number {
  const lead = codes[at] ?? GAP
  if (isSpace(lead) || (lead >= 0x20 && lead < 0x7f)) return 1
  const tail = lead >= 0xc2 && lead < 0xe0 ? 1 : lead >= 0xe0 && lead < 0xf0 ? 2 : lead >= 0xf0 && lead < 0xf5 ? 3 : 0
  for (let one = 1; one <= tail; one++) if (((codes[at + one] ?? 0) & 0x1c0) !== 0x80) return 0
  return tail === 0 ? 0 : tail + 1
}

const DECODERS = [unescaped, percentDecoded, ...[0, 1, 2, 3].map(base64Decoded)]
