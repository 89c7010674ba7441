import { changeAt, isJsonArray, isJsonObject, pointerOf, type Json, type JsonObject } from './json.ts'

declare const redactedBrand: unique symbol
declare const appliableBrand: unique symbol

/** Fit to be shown, logged and sent to people; a part of it may be the mask. */
export type Redacted<T> = T & { readonly [redactedBrand]: true }
/** Fit to be sent to a cluster; it may hold secrets. */
export type Appliable<T> = T & { readonly [appliableBrand]: true }

export const MASK = '(write-only)'

/** A copy without what is behind `pointers`. */
export const redact = <T extends Json>(values: T, pointers: Iterable<string>): Redacted<T> =>
  changeAt(values, pointers, () => MASK) as Redacted<T>

/**
 * The only way to something that can be applied. What was redacted does not fit its type; and what lost its type on the
 * way through JSON is recognised by the mask, so that the mask never becomes somebody's password.
 */
export function appliable<T extends JsonObject>(object: T & { readonly [redactedBrand]?: never }): Appliable<T> {
  const masked = findMask(object, [])
  if (masked !== undefined) throw new Error(`failed to apply an object: ${masked} is redacted`)
  return object as unknown as Appliable<T>
}

function findMask(value: Json, path: readonly (string | number)[]): string | undefined {
  if (value === MASK) return pointerOf(path)
  const inner = isJsonArray(value) ? [...value.entries()] : isJsonObject(value) ? Object.entries(value) : []
  for (const [key, item] of inner) {
    const found = findMask(item, [...path, key])
    if (found !== undefined) return found
  }
  return undefined
}

/** Shorter secrets are hidden only where they are the whole value: as part of one they would hide half of every text. */
const SHORTEST = 4

/** Hides secrets in text that they were rendered into, also as base64, in JSON, and in a URL. */
export function masker(secrets: Iterable<Json>): (text: string) => string {
  const words = [...new Set([...secrets].flatMap(plainTexts))]
  const spellings = [...new Set(words.filter((word) => word.length >= SHORTEST).flatMap(spellingsOf))].toSorted(
    (a, b) => b.length - a.length,
  )
  return (text) =>
    words.includes(text) ? MASK : spellings.reduce((hidden, spelling) => hidden.replaceAll(spelling, MASK), text)
}

function plainTexts(value: Json): string[] {
  if (isJsonArray(value)) return value.flatMap(plainTexts)
  if (isJsonObject(value)) return Object.values(value).flatMap(plainTexts)
  return typeof value === 'string' || typeof value === 'number' ? [String(value)] : []
}

const spellingsOf = (word: string): string[] => [
  word,
  Buffer.from(word).toString('base64'),
  JSON.stringify(word).slice(1, -1),
  encodeURIComponent(word),
]
