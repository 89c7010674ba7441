import { fromFieldsV1, partOf, toFieldsV1 } from '../fields/fields-v1.ts'
import { serverText } from '../fields/path.ts'
import type { Json } from './json.ts'

/**
 * A set of field paths. A path is its elements joined by a NUL, an element is written as in FieldsV1:
 * `f:name` a field, `k:{…}` the list item with these keys, `v:…` the list item with this value.
 */
export type FieldSet = ReadonlySet<string>

export const NUL = '\u0000'

export const child = (path: string, element: string): string => (path === '' ? element : `${path}${NUL}${element}`)

/** Empty for a path of one element. */
export const parentOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf(NUL), 0))

export const elementsOf = (path: string): string[] => path.split(NUL)

/** `a` itself where nothing is added, so that what is remembered about it stays valid. */
export const union = (a: FieldSet, b: FieldSet): FieldSet => (b.isSubsetOf(a) ? a : a.union(b))

/** `a` itself where nothing is removed, so that what is remembered about it stays valid. */
export const difference = (a: FieldSet, b: FieldSet): FieldSet => (a.isDisjointFrom(b) ? a : a.difference(b))

export const intersection = (a: FieldSet, b: FieldSet): FieldSet => a.intersection(b)

export const sameSet = (a: FieldSet, b: FieldSet): boolean => a.size === b.size && a.isSubsetOf(b)

/** Both forms of one set. Neither is changed in place, so each translation is made once. */
const jsonOfSet = new WeakMap<FieldSet, Json>()
const setOfJson = new WeakMap<Json, FieldSet>()

function remember(set: FieldSet, fields: Json): void {
  jsonOfSet.set(set, fields)
  setOfJson.set(fields, set)
}

export function fieldsV1Of(set: FieldSet): Json {
  const known = jsonOfSet.get(set)
  if (known !== undefined) return known
  const fields = toFieldsV1([...set].toSorted().map(elementsOf))
  remember(set, fields)
  return fields
}

export function fieldSetOf(fields: Json): FieldSet {
  const known = setOfJson.get(fields)
  if (known !== undefined) return known
  const set: FieldSet = new Set(Array.from(fromFieldsV1(fields), (elements) => elements.join(NUL)))
  remember(set, fields)
  return set
}

/** `.spec.containers[name="web"].image`, as conflicts name a field. */
export const fieldText = (path: string): string => serverText(elementsOf(path).map(partOf))
