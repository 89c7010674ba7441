import { fieldOf, isFields, type Fields } from './fields.ts'
import { isSameKey, type ItemKey } from './list-keys.ts'

/** One step into an object: a field, a list item by its keys, a set item by its value, or a list item by its index. */
export type PathPart = string | { readonly key: ItemKey } | { readonly value: unknown } | { readonly index: number }
export type FieldPath = readonly PathPart[]

const PLAIN_NAME = /^[A-Za-z_$][\w$-]*$/
const PLAIN_VALUE = /^[A-Za-z_/][\w/.:@-]*$/
const LITERALS: ReadonlySet<string> = new Set(['true', 'false', 'null'])

/** `spec.template.spec.containers[name=app].image`. A name or value that could be misread is quoted. */
export function pathText(path: FieldPath): string {
  let text = ''
  for (const part of path) text += partText(part)
  return text.startsWith('.') ? text.slice(1) : text
}

function partText(part: PathPart): string {
  if (typeof part === 'string') return PLAIN_NAME.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`
  if ('index' in part) return `[${part.index}]`
  if ('value' in part) return `[=${valueText(part.value)}]`
  return `[${pairsText(part.key, valueText)}]`
}

const valueText = (value: unknown): string =>
  typeof value === 'string' && PLAIN_VALUE.test(value) && !LITERALS.has(value) ? value : JSON.stringify(value)

const pairsText = (key: ItemKey, spell: (value: unknown) => string): string =>
  Object.entries(key)
    .map(([name, value]) => `${name}=${spell(value)}`)
    .join(',')

/** As the API server names a field in a conflict: `.spec.template.spec.containers[name="app"].image`. */
export function serverText(path: FieldPath): string {
  let text = ''
  for (const part of path) {
    if (typeof part === 'string') text += `.${part}`
    else if ('index' in part) text += `[${part.index}]`
    else if ('value' in part) text += `[=${JSON.stringify(part.value)}]`
    else text += `[${pairsText(part.key, JSON.stringify)}]`
  }
  return text
}

const spellingsOf = (path: FieldPath): readonly string[] => [pathText(path), serverText(path)]

/** Whether the path is the field that `text` names, in either spelling, or a field inside it. */
export const isAtOrBelow = (path: FieldPath, text: string): boolean =>
  text === '' || path.some((_, index) => spellingsOf(path.slice(0, index + 1)).includes(text))

/**
 * The path of the field that `text` names in this object, in either spelling. The server does not quote names with
 * dots, so that its text can only be read along an object.
 */
export const pathIn = (object: unknown, text: string): FieldPath | undefined => find(object, [], text)

function find(value: unknown, path: FieldPath, text: string): FieldPath | undefined {
  const spellings = spellingsOf(path)
  if (path.length > 0 && spellings.includes(text)) return path
  if (path.length > 0 && !spellings.some((at) => text.startsWith(`${at}.`) || text.startsWith(`${at}[`)))
    return undefined
  const steps = Array.isArray(value) ? itemSteps(value, spellings, text) : isFields(value) ? Object.entries(value) : []
  for (const [part, inner] of steps) {
    const found = find(inner, [...path, part], text)
    if (found !== undefined) return found
  }
  return undefined
}

/** The one item of a list that the next bracket of `text` names. */
function itemSteps(list: readonly unknown[], at: readonly string[], text: string): [PathPart, unknown][] {
  const prefix = at.find((one) => text.startsWith(`${one}[`))
  const [, inside = ''] = /^\[((?:"(?:[^"\\]|\\.)*"|[^\]"])*)\]/.exec(text.slice(prefix?.length ?? text.length)) ?? []
  if (/^\d+$/.test(inside))
    return Number(inside) < list.length ? [[{ index: Number(inside) }, list[Number(inside)]]] : []
  const pairs = [...inside.matchAll(/([^=,]*)=("(?:[^"\\]|\\.)*"|[^,]*)/g)].map(
    ([, name = '', value = '']) => [name, readValue(value)] as const,
  )
  const [first] = pairs
  if (first === undefined) return []
  if (first[0] === '') return list.includes(first[1]) ? [[{ value: first[1] }, first[1]]] : []
  const key = Object.fromEntries(pairs)
  const item = list.find((one) => isFields(one) && isSameKey(one, key))
  return item === undefined ? [] : [[{ key }, item]]
}

const readValue = (text: string): unknown =>
  text.startsWith('"') || LITERALS.has(text) || /^-?\d/.test(text) ? (JSON.parse(text) as unknown) : text

/** The value at a path; `undefined` when there is none. */
export const valueAt = (object: unknown, path: FieldPath): unknown => path.reduce<unknown>(childOf, object)

function childOf(value: unknown, part: PathPart): unknown {
  if (typeof part === 'string') return isFields(value) ? fieldOf(value, part) : undefined
  if (!Array.isArray(value)) return undefined
  const items: readonly unknown[] = value
  return 'index' in part ? items[part.index] : items.find((item) => isItem(item, part))
}

const isItem = (item: unknown, part: Exclude<PathPart, string | { readonly index: number }>): boolean =>
  'value' in part ? item === part.value : isFields(item) && isSameKey(item, part.key)

/** The object without the field that `text` names, in either spelling. Items are found by key, in any version of it. */
export function withoutField<T extends Fields>(object: T, text: string): T {
  const path = pathIn(object, text)
  return path === undefined ? object : (without(object, path) as T)
}

function without(value: unknown, [part, ...rest]: FieldPath): unknown {
  if (part === undefined) return undefined
  const isHere = (name: string | number, item: unknown): boolean =>
    typeof part === 'string' ? name === part : 'index' in part ? name === part.index : isItem(item, part)
  const changed = (item: unknown): unknown[] => (rest.length === 0 ? [] : [without(item, rest)])
  if (Array.isArray(value))
    return value.flatMap((item: unknown, index) => (isHere(index, item) ? changed(item) : [item]))
  if (!isFields(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) =>
      isHere(name, item) ? changed(item).map((left) => [name, left]) : [[name, item]],
    ),
  )
}
