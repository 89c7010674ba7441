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

export function clone<T>(value: T): T {
  if (Array.isArray(value)) return value.map(clone) as T
  if (!isObject(value)) return value
  const copy: Json = {}
  for (const field in value) if (value[field] !== undefined) copy[field] = clone(value[field])
  return copy as T
}

export function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => equal(item, b[index]))
  if (!isObject(a) || !isObject(b)) return false
  const fields = Object.keys(a)
  return fields.length === Object.keys(b).length && fields.every((field) => field in b && equal(a[field], b[field]))
}

/** A copy without the named fields. */
export function without(value: Json, ...fields: readonly string[]): Json {
  const copy = { ...value }
  for (const field of fields) delete copy[field]
  return copy
}
