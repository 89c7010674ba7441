import { Automaton, LEAST_PART } from './automaton.ts'
import { bytesOf, viewsOf, type View } from './views.ts'

/** Secrets with fewer characters are matched only where they are a whole value: inside words they are everywhere. */
const SHORTEST = 4
/** Each line of a multi-line secret with at least this length is matched on its own. */
const SHORTEST_LINE = 12

export interface SecretRange {
  readonly from: number
  readonly to: number
  readonly secret: string
}

export interface FindOptions {
  /** The text may have been cut: parts of secrets at its ends count as well. */
  readonly isCut?: boolean
  /** The text is a key or a number: that it equals a secret of few characters means nothing. */
  readonly isName?: boolean
}

/** Finds secrets in all their spellings. They are read and prepared with the first text: most maskers never see one. */
export class Matcher {
  readonly #secrets: Iterable<string>
  #built: ReturnType<typeof build> | undefined
  /** Work done so far: bytes of views, transitions and comparisons. */
  steps = 0

  constructor(secrets: Iterable<string>) {
    this.#secrets = secrets
  }

  /** In order and without overlaps. */
  find(text: string, { isCut = false, isName = false }: FindOptions = {}): SecretRange[] {
    if (text === '') return []
    this.#built ??= build([...new Set(this.#secrets)].filter((secret) => secret.trim() !== ''))
    const { automaton, owners, shortest, short } = this.#built
    const found = isName ? [] : short.find(text)
    if (text.length < (isCut ? Math.min(shortest, LEAST_PART) : shortest)) return found
    const before = automaton.steps
    for (const view of viewsOf(text)) {
      const { codes, places: at } = kept(view)
      let last: { from: number; to: number; secret: string } | undefined
      automaton.search(codes, isCut, (word, end, length) => {
        const from = isCut && end === length ? 0 : (view.from[at[end - length] ?? 0] ?? 0)
        const to = isCut && end === codes.length ? text.length : (view.to[at[end - 1] ?? 0] ?? 0)
        const secret = owners[word] ?? ''
        if (last?.secret === secret && from >= last.from && from < last.to) last.to = Math.max(last.to, to)
        else found.push((last = { from, to, secret }))
      })
      this.steps += view.codes.length
    }
    this.steps += automaton.steps - before
    return merged(found)
  }
}

function build(secrets: readonly string[]): {
  readonly automaton: Automaton
  /** The secret that each word of the automaton is, or is a line of. */
  readonly owners: readonly string[]
  /** Every spelling of a word is at least as long as the word. */
  readonly shortest: number
  readonly short: ShortSecrets
} {
  const words = new Map<string, string>()
  const long = secrets.filter((secret) => lettersOf(secret).length >= SHORTEST)
  for (const secret of long) words.set(lettersOf(secret), secret)
  for (const secret of long) {
    for (const line of secret.split(/[\r\n]+/)) {
      const word = lettersOf(line)
      if (word.length >= SHORTEST_LINE && !words.has(word)) words.set(word, secret)
    }
  }
  return {
    automaton: new Automaton([...words.keys()].map((word) => bytesOf(word))),
    owners: [...words.values()],
    shortest: Math.min(...[...words.keys()].map(({ length }) => length)),
    short: new ShortSecrets(secrets.filter((secret) => !long.includes(secret))),
  }
}

/*
 * Spaces, line ends, plus signs and single quotes are ignored in secrets and texts. That recognises other indentation, folded
 * and joined lines, spaces that a form writes as plus signs, and the doubled quotes of YAML and SQL, at the price of masking
 * the rare text that differs from a secret in nothing else.
 */
const IGNORED = /[ \t\n\v\f\r+']+/g
const lettersOf = (text: string): string => text.replace(IGNORED, '')
const IS_IGNORED = new Uint8Array(257)
for (const letter of [' ', '\t', '\n', '\v', '\f', '\r', '+', "'"]) IS_IGNORED[letter.charCodeAt(0)] = 1

/** Reused from view to view. */
let letters = new Uint16Array(16_384)
let places = new Uint32Array(16_384)

/** What is left of a view, and where each byte was in it. Valid until the next call. */
function kept({ codes }: View): { readonly codes: Uint16Array; readonly places: Uint32Array } {
  if (letters.length < codes.length) {
    letters = new Uint16Array(codes.length)
    places = new Uint32Array(codes.length)
  }
  let length = 0
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0
    if (IS_IGNORED[code] === 1) continue
    letters[length] = code
    places[length++] = at
  }
  return { codes: letters.subarray(0, length), places }
}

/** Overlapping ranges become one, under the name of the longest of them. */
export function merged(found: readonly SecretRange[]): SecretRange[] {
  const ranges: SecretRange[] = []
  let longest = 0
  for (const range of found.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    const last = ranges.at(-1)
    const length = range.to - range.from
    if (last === undefined || range.from >= last.to) {
      ranges.push(range)
      longest = length
      continue
    }
    const secret = length > longest ? range.secret : last.secret
    ranges[ranges.length - 1] = { from: last.from, to: Math.max(last.to, range.to), secret }
    longest = Math.max(longest, length)
  }
  return ranges
}

/** Secrets of a few characters: matched where they are all of a text, or a value in it that is quoted or assigned. */
class ShortSecrets {
  readonly #owners: ReadonlyMap<string, string>
  readonly #assigned: RegExp | undefined

  constructor(secrets: readonly string[]) {
    this.#owners = new Map(secrets.flatMap((secret) => spellingsOf(secret).map((spelling) => [spelling, secret])))
    const one = [...this.#owners.keys()]
      .toSorted((a, b) => b.length - a.length)
      .map((spelling) => RegExp.escape(spelling))
      .join('|')
    this.#assigned =
      one === ''
        ? undefined
        : new RegExp(
            `(?<=["'\`])(?:${one})(?=\\\\{0,8}["'\`])|(?<==)(?:${one})(?=[\\s&,;)}\\]"']|$)|(?<=: ?)(?:${one})(?=[,}\\])\\r\\n]|$)`,
            'g',
          )
  }

  find(text: string): SecretRange[] {
    if (this.#assigned === undefined) return []
    const whole = this.#owners.get(text.trim())
    if (whole !== undefined) return [{ from: 0, to: text.length, secret: whole }]
    return [...text.matchAll(this.#assigned)].map(({ 0: spelling, index }) => ({
      from: index,
      to: index + spelling.length,
      secret: this.#owners.get(spelling) ?? '',
    }))
  }
}

function spellingsOf(secret: string): string[] {
  const base64 = Buffer.from(secret).toString('base64')
  const url = Buffer.from(secret).toString('base64url')
  return [secret.trim(), JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed()), base64, url]
}
