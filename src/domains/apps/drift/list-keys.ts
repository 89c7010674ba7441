import { field, isJsonObject, type Json, type JsonObject } from '../values/json.ts'

/** What Kubernetes knows the items of its lists by; those that many items carry by chance come last. */
const MERGE_KEYS: readonly (readonly string[])[] = [
  ['containerPort', 'protocol'],
  ['port', 'protocol'],
  ['mountPath'],
  ['devicePath'],
  ['topologyKey', 'whenUnsatisfiable'],
  ['uid'],
  ['ip'],
  ['name'],
  ['type'],
  ['host'],
  ['key'],
]

/** Values that the API server fills in, and that therefore may be missing on one side. */
const DEFAULTS: Readonly<Record<string, Json>> = { protocol: 'TCP' }

export type ItemKey = Readonly<Record<string, Json>>

export function itemKey(item: Json, names: readonly string[]): ItemKey | undefined {
  if (!isJsonObject(item)) return undefined
  const parts = names.map((name): [string, Json | undefined] => [name, field(item, name) ?? DEFAULTS[name]])
  return parts.every(([, value]) => value !== undefined) ? (Object.fromEntries(parts) as ItemKey) : undefined
}

/** The fields by which every item of every list can be told from its neighbours, if there are any. */
export const mergeKeysOf = (...lists: readonly (readonly Json[])[]): readonly string[] | undefined =>
  lists.every((list) => list.length === 0)
    ? undefined
    : MERGE_KEYS.find((names) => lists.every((list) => areDistinct(list.map((item) => itemKey(item, names)))))

const areDistinct = (keys: readonly (ItemKey | undefined)[]): boolean =>
  keys.every((key) => key !== undefined) && new Set(keys.map((key) => JSON.stringify(key))).size === keys.length

export const isSameKey = (item: JsonObject, key: ItemKey): boolean =>
  Object.entries(key).every(([name, value]) => (field(item, name) ?? DEFAULTS[name]) === value)
