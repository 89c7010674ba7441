import type { KubeObject } from '../../../kube/index.ts'

type Fields = Readonly<Record<string, unknown>>

/** The part of an object that a manager has applied, with the values that are live: what it has to say again to keep it. */
export function ownedFields(live: KubeObject, manager: string): Fields {
  const entry = (live.metadata.managedFields ?? []).find(
    (one) => one.manager === manager && one.operation === 'Apply' && (one.subresource ?? '') === '',
  )
  return entry === undefined ? {} : (partOf(live, entry.fieldsV1) as Fields)
}

/** `f:` names a field, `k:` an item of a list by its keys; one without anything below it is owned whole. */
function partOf(value: unknown, owned: Fields): unknown {
  const names = Object.keys(owned).filter((name) => name !== '.')
  if (names.length === 0) return value
  if (Array.isArray(value)) return names.flatMap((name) => itemOf(value, name, owned[name] as Fields))
  if (!isFields(value)) return value
  const part: Record<string, unknown> = {}
  for (const name of names) {
    const field = name.slice(2)
    if (value[field] !== undefined) part[field] = partOf(value[field], owned[name] as Fields)
  }
  return part
}

function itemOf(list: readonly unknown[], name: string, owned: Fields): unknown[] {
  if (!name.startsWith('k:')) return []
  const keys = JSON.parse(name.slice(2)) as Fields
  const item = list.find((one) => isFields(one) && Object.entries(keys).every(([key, is]) => one[key] === is))
  return item === undefined ? [] : [{ ...keys, ...(partOf(item, owned) as Fields) }]
}

/** Both in one; items of lists meet by their name. Where both say something about one field, the second is right. */
export function merged(a: unknown, b: unknown): unknown {
  if (Array.isArray(a) && Array.isArray(b)) {
    const isOf = (item: unknown) => (other: unknown) =>
      isFields(item) && isFields(other) && item['name'] === other['name']
    return [...a.map((item) => merged(item, b.find(isOf(item)))), ...b.filter((item) => !a.some(isOf(item)))]
  }
  if (!isFields(a) || !isFields(b)) return b ?? a
  const both: Record<string, unknown> = { ...a }
  for (const [name, value] of Object.entries(b)) both[name] = merged(a[name], value)
  return both
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
