import { isObject, type Json } from './json.ts'

/**
 * A set of field paths. A path is its elements joined by a NUL, an element is written as in FieldsV1:
 * `f:name` a field, `k:{…}` the list item with these keys, `v:…` the list item with this value.
 */
export type FieldSet = ReadonlySet<string>

const NUL = '\u0000'

export const child = (path: string, element: string): string => (path === '' ? element : `${path}${NUL}${element}`)

export const elementsOf = (path: string): string[] => path.split(NUL)

export const union = (a: FieldSet, b: FieldSet): FieldSet => new Set([...a, ...b])

/** `a` itself where nothing is removed, so that what is remembered about it stays valid. */
export const difference = (a: FieldSet, b: FieldSet): FieldSet => {
  const rest = [...a].filter((path) => !b.has(path))
  return rest.length === a.size ? a : new Set(rest)
}

export const intersection = (a: FieldSet, b: FieldSet): FieldSet => new Set([...a].filter((path) => b.has(path)))

export const sameSet = (a: FieldSet, b: FieldSet): boolean => a.size === b.size && [...a].every((path) => b.has(path))

/** Both forms of one set. Neither is changed in place, so each translation is made once. */
const jsonOfSet = new WeakMap<FieldSet, Json>()
const setOfJson = new WeakMap<Json, FieldSet>()

const remember = (set: FieldSet, fields: Json): void => {
  jsonOfSet.set(set, fields)
  setOfJson.set(fields, set)
}

/** A node without children is a member; one with children is a member only if it holds `.`. */
export function toFieldsV1(set: FieldSet): Json {
  const known = jsonOfSet.get(set)
  if (known !== undefined) return known
  const root: Json = {}
  for (const path of [...set].toSorted()) {
    let node = root
    for (const element of elementsOf(path)) node = (node[element] ??= {}) as Json
    node['.'] = {}
  }
  const dropLonelyDots = (node: Json): void => {
    for (const [element, below] of Object.entries(node)) {
      if (element === '.' || !isObject(below)) continue
      dropLonelyDots(below)
      if (Object.keys(below).length === 1 && '.' in below) delete below['.']
    }
  }
  dropLonelyDots(root)
  remember(set, root)
  return root
}

export function fromFieldsV1(fields: Json): FieldSet {
  const known = setOfJson.get(fields)
  if (known !== undefined) return known
  const set = new Set<string>()
  const visit = (node: Json, path: string): void => {
    const elements = Object.keys(node)
    if (path !== '' && (elements.length === 0 || '.' in node)) set.add(path)
    for (const element of elements) {
      const below = node[element]
      if (element !== '.' && isObject(below)) visit(below, child(path, element))
    }
  }
  visit(fields, '')
  remember(set, fields)
  return set
}

/** `.spec.containers[name="web"].image`, as conflicts name a field. */
export const fieldText = (path: string): string => elementsOf(path).map(elementText).join('')

function elementText(element: string): string {
  const value = element.slice(2)
  if (element.startsWith('f:')) return `.${value}`
  if (element.startsWith('v:')) return `[=${value}]`
  const keys = Object.entries(JSON.parse(value) as Json).map(([name, key]) => `${name}=${JSON.stringify(key)}`)
  return `[${keys.join(',')}]`
}
