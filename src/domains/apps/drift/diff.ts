import { sameValue } from '../../../kernel/index.ts'
import { field, isJsonArray, isJsonObject, pointerOf, type Json, type JsonObject } from '../values/json.ts'
import { itemKey, mergeKeysOf } from './list-keys.ts'
import { MASK, type Redacted } from '../values/redaction.ts'

export interface FieldChange {
  /** Into the new object; for what was removed, into the old one. */
  readonly pointer: string
  readonly change: 'added' | 'removed' | 'changed'
  readonly before?: Json
  readonly after?: Json
}

/** What must not be seen: places by pointer, and texts wherever they were rendered to. */
export interface Hidden {
  /** Whether the value at this pointer, on either side, is secret as a whole. */
  readonly isSecret?: (pointer: string) => boolean
  readonly mask?: (text: string) => string
}

type Path = readonly (string | number)[]
interface Side {
  readonly value: Json | undefined
  readonly path: Path
}

/**
 * The exact fields that differ, in a stable order. A secret that changes is told as changed, without either value.
 * Items of lists are matched by what Kubernetes knows them by, so a container that moved up is not a new one.
 */
export function diffFields(before: Json, after: Json, hidden: Hidden = {}): Redacted<readonly FieldChange[]> {
  const changes = compare({ value: before, path: [] }, { value: after, path: [] }, hidden)
  return changes.toSorted((a, b) =>
    a.pointer < b.pointer ? -1 : a.pointer > b.pointer ? 1 : 0,
  ) as unknown as Redacted<readonly FieldChange[]>
}

function compare(before: Side, after: Side, hidden: Hidden): FieldChange[] {
  if (sameValue(before.value, after.value)) return []
  const isHidden = [before, after].some(({ path }) => hidden.isSecret?.(pointerOf(path)) === true)
  if (!isHidden) {
    if (isJsonObject(before.value) && isJsonObject(after.value)) return compareObjects(before, after, hidden)
    if (isJsonArray(before.value) && isJsonArray(after.value)) return compareLists(before, after, hidden)
  }
  const shown = (side: Side): Json => (isHidden ? MASK : show(side.value ?? null, side.path, hidden))
  if (before.value === undefined) return [{ pointer: pointerOf(after.path), change: 'added', after: shown(after) }]
  if (after.value === undefined) return [{ pointer: pointerOf(before.path), change: 'removed', before: shown(before) }]
  return [{ pointer: pointerOf(after.path), change: 'changed', before: shown(before), after: shown(after) }]
}

function compareObjects(before: Side, after: Side, hidden: Hidden): FieldChange[] {
  const [old, now] = [before.value as JsonObject, after.value as JsonObject]
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((key) =>
    compare(
      { value: field(old, key), path: [...before.path, key] },
      { value: field(now, key), path: [...after.path, key] },
      hidden,
    ),
  )
}

function compareLists(before: Side, after: Side, hidden: Hidden): FieldChange[] {
  const [old, now] = [before.value as readonly Json[], after.value as readonly Json[]]
  const names = mergeKeysOf(old, now)
  const keyOf = (item: Json, index: number): string => JSON.stringify(names ? itemKey(item, names) : index)
  const places = new Map(old.map((item, index) => [keyOf(item, index), index]))
  const gone: Side = { value: undefined, path: [] }
  const present = now.flatMap((item, index) => {
    const place = places.get(keyOf(item, index))
    places.delete(keyOf(item, index))
    const was = place === undefined ? gone : { value: old[place], path: [...before.path, place] }
    return compare(was, { value: item, path: [...after.path, index] }, hidden)
  })
  const removed = [...places.values()].flatMap((place) =>
    compare({ value: old[place], path: [...before.path, place] }, gone, hidden),
  )
  return [...present, ...removed]
}

/** A copy to look at. */
export function show(value: Json, path: Path, hidden: Hidden): Json {
  if (hidden.isSecret?.(pointerOf(path)) === true) return MASK
  if (isJsonArray(value)) return value.map((item, index) => show(item, [...path, index], hidden))
  if (isJsonObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, show(inner, [...path, key], hidden)]))
  }
  if (value === null || typeof value === 'boolean' || hidden.mask === undefined) return value
  const masked = hidden.mask(String(value))
  return masked === String(value) ? value : masked
}
