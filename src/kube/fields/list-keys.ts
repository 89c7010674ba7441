import { fieldOf, isFields, type Fields } from './fields.ts'

/** The values by which one item of a list is known. */
export type ItemKey = Fields

/** The merge keys of the lists in built-in kinds; those that other lists have by chance come last. */
const MERGE_KEYS: readonly (readonly string[])[] = [
  ['containerPort', 'protocol'],
  ['port', 'protocol'],
  ['mountPath'],
  ['devicePath'],
  ['topologyKey', 'whenUnsatisfiable'],
  ['uid'],
  ['ip'],
  ['name'],
]

/** Keys of lists that the API server replaces as one value. They only pair items up for people. */
const DISPLAY_KEYS: readonly (readonly string[])[] = [...MERGE_KEYS, ['type'], ['host'], ['key']]

/** Values that the API server fills in. */
const DEFAULTS: Fields = { protocol: 'TCP' }

const keyValue = (item: Fields, name: string): unknown => fieldOf(item, name) ?? fieldOf(DEFAULTS, name)

export function itemKey(item: unknown, names: readonly string[]): ItemKey | undefined {
  if (!isFields(item)) return undefined
  const key: Record<string, unknown> = {}
  for (const name of names) {
    const value = keyValue(item, name)
    if (value === undefined) return undefined
    key[name] = value
  }
  return key
}

/** The keys by which the API server would merge these lists, as far as the items alone show it. */
export const mergeKeysOf = (...lists: readonly (readonly unknown[])[]): readonly string[] | undefined =>
  keysAmong(MERGE_KEYS, lists)

/** The keys by which the items of these lists can be paired up for people. */
export const displayKeysOf = (...lists: readonly (readonly unknown[])[]): readonly string[] | undefined =>
  keysAmong(DISPLAY_KEYS, lists)

const keysAmong = (
  candidates: readonly (readonly string[])[],
  lists: readonly (readonly unknown[])[],
): readonly string[] | undefined =>
  lists.every((list) => list.length === 0)
    ? undefined
    : candidates.find((names) => lists.every((list) => areDistinct(list, names)))

/** Runs for each list of each compared object, so it stops at the first item without the keys. */
function areDistinct(list: readonly unknown[], names: readonly string[]): boolean {
  const seen = new Set<string>()
  for (const item of list) {
    const key = itemKey(item, names)
    if (key === undefined) return false
    seen.add(JSON.stringify(key))
  }
  return seen.size === list.length
}

export const isSameKey = (item: Fields, key: ItemKey): boolean =>
  Object.entries(key).every(([name, value]) => keyValue(item, name) === value)
