import { Matcher, merged, type SecretRange } from './matcher.ts'
import { maskedValue } from './structures.ts'

export interface MaskerOptions {
  /** The text that replaces a secret. */
  readonly mask: string | ((secret: string) => string)
  /** What looks like a secret wherever it came from, and what to write instead. Must match in linear time. */
  readonly shapes?: ReadonlyArray<readonly [RegExp, string]>
}

/**
 * Takes secrets out of what leaves the process, however they are spelled: as they are, quoted by JSON, Go or YAML, in a URL,
 * in base64, over several lines or joined into one. docs/architecture.md lists what is recognised, and the limits.
 */
export interface Masker {
  (text: string): string
  /**
   * For every text that is cut, by us or by others: masks first, then cuts to `max` UTF-16 code units. A part of a secret
   * at either end of the text is masked too, because a log tail or a status message may begin or end inside of one.
   */
  excerpt(this: void, text: string, max?: number): string
  /** A copy of an object, list or error with all its texts masked: values, keys, messages, causes and stacks. */
  value<T>(this: void, value: T): T
}

export function masker(secrets: Iterable<string>, { mask, shapes = [] }: MaskerOptions): Masker {
  const matcher = new Matcher(secrets)
  const maskOf = typeof mask === 'string' ? (): string => mask : mask
  const replaced = (text: string, ranges: readonly SecretRange[]): string =>
    shapes.reduce((rest, [shape, by]) => rest.replace(shape, by), replace(text, ranges, maskOf))
  const text = (from: string): string => replaced(from, matcher.find(from))
  const name = (from: string): string => replaced(from, matcher.find(from, { isName: true }))
  const excerpt = (from: string, max = Infinity): string => {
    const [start, end] = withoutEllipses(from)
    const isWhole = start === 0 && end === from.length
    const inner = isWhole ? [] : matcher.find(from.slice(start, end), { isCut: true })
    const shifted = inner.map((range) => ({ ...range, from: range.from + start, to: range.to + start }))
    return cut(replaced(from, merged([...matcher.find(from, { isCut: true }), ...shifted])), max)
  }
  return Object.assign(text, { excerpt, value: <T>(from: T): T => maskedValue(from, { text, name }) })
}

function replace(text: string, ranges: readonly SecretRange[], maskOf: (secret: string) => string): string {
  let [clean, at] = ['', 0]
  for (const { from, to, secret } of ranges) {
    clean += text.slice(at, from) + maskOf(secret)
    at = to
  }
  return clean + text.slice(at)
}

/** Where a text begins and ends that was cut and marked with an ellipsis. */
function withoutEllipses(text: string): readonly [start: number, end: number] {
  let [start, end] = [0, text.length]
  while (start < end && '.… '.includes(text[start] ?? '')) start++
  while (end > start && `"' \n`.includes(text[end - 1] ?? '')) end--
  const marked = text.slice(start, end)
  if (marked.endsWith('…')) end -= 1
  else if (marked.endsWith('...')) end -= 3
  else end = text.length
  return [start, end]
}

/** Never leaves half of a surrogate pair. */
const cut = (text: string, max: number): string => {
  if (text.length <= max) return text
  const isPair = /[\uD800-\uDBFF]/.test(text[max - 1] ?? '')
  return text.slice(0, isPair ? max - 1 : max)
}
