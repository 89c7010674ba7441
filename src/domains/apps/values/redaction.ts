import { masker as maskerOf, type Masker } from '../../../kernel/index.ts'
import { changeAt, isJsonArray, isJsonObject, pointerOf, type Json, type JsonObject } from './json.ts'

declare const redactedBrand: unique symbol
declare const appliableBrand: unique symbol

/** Fit to be shown, logged and sent to people; a part of it may be the mask. */
export type Redacted<T> = T & { readonly [redactedBrand]: true }
/** Fit to be sent to a control plane; it may hold secrets. */
export type Appliable<T> = T & { readonly [appliableBrand]: true }

export const MASK = '(write-only)'

/** A copy without what is behind `pointers`. */
export const redact = <T extends Json>(values: T, pointers: Iterable<string>): Redacted<T> =>
  changeAt(values, pointers, () => MASK) as Redacted<T>

/**
 * The only way to something that can be applied. What was redacted does not fit its type; and what lost its type on the
 * way through JSON is recognised by the mask, so that the mask is never stored as a password.
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

/** Masks the texts and numbers in `secrets` wherever they were rendered to. */
export const masker = (secrets: Iterable<Json>): Masker => maskerOf(plainTexts(secrets), { mask: MASK })

function* plainTexts(secrets: Iterable<Json>): Generator<string> {
  for (const secret of secrets) {
    if (isJsonArray(secret)) yield* plainTexts(secret)
    else if (isJsonObject(secret)) yield* plainTexts(Object.values(secret))
    else if (typeof secret === 'string' || typeof secret === 'number') yield String(secret)
  }
}
