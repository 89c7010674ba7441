export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}
export type Path = readonly (string | number)[]

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isList = (value: unknown): value is readonly Json[] => Array.isArray(value)

/** RFC 6901. */
export const pointerOf = (path: Path): string =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

export function at(value: Json | undefined, path: Path): Json | undefined {
  return path.reduce<Json | undefined>((here, part) => child(here, part), value)
}

const child = (value: Json | undefined, part: string | number): Json | undefined => {
  if (isList(value)) return value[Number(part)]
  return isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined
}

/** A copy with `next` at `path`, its parents made where they are missing. `undefined` takes the field away. */
export function withAt(value: Json | undefined, path: Path, next: Json | undefined): Json | undefined {
  const [part, ...rest] = path
  if (part === undefined) return next
  const inner = withAt(child(value, part), rest, next)
  if (typeof part === 'number') {
    const items = isList(value) ? value : []
    if (inner === undefined) return items.filter((_, index) => index !== part)
    return items.length > part ? items.with(part, inner) : [...items, inner]
  }
  const fields = isObject(value) ? value : {}
  if (inner === undefined) return Object.fromEntries(Object.entries(fields).filter(([key]) => key !== part))
  return { ...fields, [part]: inner }
}

export function isEqual(a: Json | undefined, b: Json | undefined): boolean {
  if (isObject(a) && isObject(b)) {
    const keys = Object.keys(a)
    return (
      keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]))
    )
  }
  if (isList(a) && isList(b)) return a.length === b.length && a.every((item, index) => isEqual(item, b[index]))
  return a === b
}

/** Objects merge; everything else is replaced by what lies on top. */
export function merged(under: Json | undefined, over: Json | undefined): Json | undefined {
  if (over === undefined) return under
  if (!isObject(under) || !isObject(over)) return over
  const keys = [...new Set([...Object.keys(under), ...Object.keys(over)])]
  return Object.fromEntries(
    keys.flatMap((key) => {
      const both = merged(child(under, key), child(over, key))
      return both === undefined ? [] : [[key, both]]
    }),
  )
}
