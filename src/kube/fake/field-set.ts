import { fromFieldsV1, partOf, toFieldsV1 } from '../fields/fields-v1.ts'
import { serverText } from '../fields/path.ts'
import type { Json } from './json.ts'

/**
 * A set of field paths. A path is its elements joined by a NUL, an element is written as in FieldsV1:
 * `f:name` a field, `k:{…}` the list item with these keys, `v:…` the list item with this value.
 */
export type FieldSet = ReadonlySet<string>

const NUL = '\u0000'

export const child = (path: string, element: string): string => (path === '' ? element : `${path}${NUL}${element}`)

export const elementsOf = (path: string): string[] => path.split(NUL)

export const union = (a: FieldSet, b: FieldSet): FieldSet => new Set([...a, ...b])

export const difference = (a: FieldSet, b: FieldSet): FieldSet => new Set([...a].filter((path) => !b.has(path)))

export const intersection = (a: FieldSet, b: FieldSet): FieldSet => new Set([...a].filter((path) => b.has(path)))

export const sameSet = (a: FieldSet, b: FieldSet): boolean => a.size === b.size && [...a].every((path) => b.has(path))

export const fieldsV1Of = (set: FieldSet): Json => toFieldsV1([...set].toSorted().map(elementsOf))

export const fieldSetOf = (fields: Json): FieldSet =>
  new Set(Array.from(fromFieldsV1(fields), (elements) => elements.join(NUL)))

/** `.spec.containers[name="web"].image`, as conflicts name a field. */
export const fieldText = (path: string): string => serverText(elementsOf(path).map(partOf))
