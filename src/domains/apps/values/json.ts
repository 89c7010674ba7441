/** JSON as it is stored in rows, written to values files and sent to an API server. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isJsonArray = (value: unknown): value is readonly Json[] => Array.isArray(value)

/** Own fields only: `constructor` and `__proto__` are names like any other, never a way to a prototype. */
export const field = (object: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined

/** RFC 6901. */
export const pointerOf = (path: readonly (string | number)[]): string =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

export const pathOf = (pointer: string): string[] =>
  pointer === ''
    ? []
    : pointer
        .slice(1)
        .split('/')
        .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))

export function readAt(value: Json | undefined, pointer: string): Json | undefined {
  return pathOf(pointer).reduce<Json | undefined>((inner, part) => {
    if (isJsonArray(inner)) return /^\d+$/.test(part) ? inner[Number(part)] : undefined
    return isJsonObject(inner) ? field(inner, part) : undefined
  }, value)
}

/**
 * A copy in which every pointed-to value went through `change`; `undefined` takes an object's field out.
 * An array keeps its length, because taking an item out would move the pointers of its neighbours.
 */
export function changeAt(
  value: Json,
  pointers: Iterable<string>,
  change: (old: Json, pointer: string) => Json | undefined,
): Json {
  const wanted = new Set(pointers)
  const parents = new Set([...wanted].flatMap(ancestorsOf))
  const visit = (node: Json, pointer: string): Json | undefined => {
    if (wanted.has(pointer)) return change(node, pointer)
    if (!parents.has(pointer)) return node
    if (isJsonArray(node)) return node.map((item, index) => visit(item, `${pointer}/${index}`) ?? null)
    if (!isJsonObject(node)) return node
    const kept = Object.entries(node).flatMap(([key, inner]): [string, Json][] => {
      const changed = visit(inner, pointer + pointerOf([key]))
      return changed === undefined ? [] : [[key, changed]]
    })
    return Object.fromEntries(kept)
  }
  return visit(value, '') ?? null
}

export const ancestorsOf = (pointer: string): string[] => {
  const path = pathOf(pointer)
  return path.map((_, length) => pointerOf(path.slice(0, length)))
}

/** A scalar as it reads, anything else as JSON. */
export const textOf = (value: Json | undefined): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)

/** The same text for the same value, whatever the order of its keys: what a digest is taken of. */
export function canonical(value: Json): string {
  if (isJsonArray(value)) return `[${value.map(canonical).join(',')}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`
}
