/** A JSON object of any kind. */
export type Json = Record<string, unknown>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The object at `value[field]`, or an empty one. */
export const objectAt = (value: Json, field: string): Json => {
  const found = value[field]
  return isObject(found) ? found : {}
}

export const textAt = (value: Json, field: string): string => {
  const found = value[field]
  return typeof found === 'string' ? found : ''
}

export const listAt = (value: Json, field: string): readonly unknown[] => {
  const found = value[field]
  return Array.isArray(found) ? found : []
}

/** A copy. `managedFields` are shared: no client edits them, and they are often half of an object. */
export function clone<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items: unknown[] = []
    for (const item of value) items.push(clone(item))
    return items as T
  }
  const copy: Json = {}
  for (const field in value) {
    const below: unknown = value[field]
    if (below !== undefined) copy[field] = field === 'managedFields' ? below : clone(below)
  }
  return copy as T
}

export function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) return false
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => equal(item, b[index]))
  return !Array.isArray(b) && sameFields(a as Json, b as Json)
}

function sameFields(a: Json, b: Json): boolean {
  let fields = 0
  for (const field in a) {
    if (!(field in b) || !equal(a[field], b[field])) return false
    fields++
  }
  return fields === Object.keys(b).length
}

/** A copy without the named fields. It is built field by field: V8 makes an object slow when a field is deleted. */
export function without(value: Json, ...fields: readonly string[]): Json {
  const copy: Json = {}
  for (const field in value) if (!fields.includes(field)) copy[field] = value[field]
  return copy
}
