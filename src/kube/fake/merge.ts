import { child, type FieldSet, NUL, parentOf } from './field-set.ts'
import { equal, isObject, type Json } from './json.ts'
import { isLeaf, itemElement, type Shape } from './shape.ts'

/** The fields that `value` states: leaves, list items, and entries of maps. */
export function fieldsOf(value: unknown, shape: Shape): FieldSet {
  const set = new Set<string>()
  const visit = (below: unknown, of: Shape, path: string): void => {
    if (isLeaf(of, below) || isEmpty(below)) return void (path !== '' && set.add(path))
    if (isObject(below)) {
      for (const name in below) {
        const { shape: innerShape, named } = of.field(name)
        const inner = child(path, `f:${name}`)
        if (!named) set.add(inner)
        visit(below[name], innerShape, inner)
      }
    } else {
      for (const [element, item] of itemsOf(below, of)) {
        const inner = child(path, element)
        set.add(inner)
        visit(item, of.item, inner)
      }
    }
  }
  visit(value, shape, '')
  return set
}

export interface Comparison {
  readonly added: FieldSet
  readonly changed: FieldSet
  readonly removed: FieldSet
}

/** The fields that differ between two states of an object. Added and removed maps and lists count as well. */
export function compare(before: unknown, after: unknown, shape: Shape): Comparison {
  const result = { added: new Set<string>(), changed: new Set<string>(), removed: new Set<string>() }
  const visit = (old: unknown, now: unknown, of: Shape, path: string): void => {
    if (old === now && old !== undefined) return
    if (old === undefined) result.added.add(path)
    if (now === undefined) result.removed.add(path)
    const one = now ?? old
    if (isLeaf(of, one) || (isEmpty(old) && isEmpty(now)) || Array.isArray(old ?? one) !== Array.isArray(one)) {
      if (old !== undefined && now !== undefined && !equal(old, now)) result.changed.add(path)
      return
    }
    if (isObject(one)) {
      const [a, b] = [isObject(old) ? old : {}, isObject(now) ? now : {}]
      const inner = (name: string): void => {
        if (a[name] !== b[name]) visit(a[name], b[name], of.field(name).shape, child(path, `f:${name}`))
      }
      for (const name in a) inner(name)
      for (const name in b) if (!(name in a)) inner(name)
    } else {
      const [a, b] = [new Map(itemsOf(old, of)), new Map(itemsOf(now, of))]
      for (const element of new Set([...a.keys(), ...b.keys()])) {
        visit(a.get(element), b.get(element), of.item, child(path, element))
      }
    }
  }
  visit(before, after, shape, '')
  for (const set of Object.values(result)) set.delete('')
  return result
}

/**
 * `live` with all fields of `applied`. Keyed lists follow the order of `applied`. Parts that do not change are those of
 * `live`, so that a comparison of the two is short.
 */
export function merge(live: unknown, applied: unknown, shape: Shape): unknown {
  if (applied === undefined || applied === null) return live
  if (isLeaf(shape, applied)) return equal(live, applied) ? live : applied
  if (isObject(applied)) return isObject(live) ? mergeFields(live, applied, shape) : mergeFields({}, applied, shape)
  const merged = mergeItems(live, applied, shape)
  return Array.isArray(live) && isSameList(live, merged) ? live : merged
}

function mergeFields(live: Json, applied: Json, shape: Shape): Json {
  let merged = live
  for (const name in applied) {
    const value = merge(live[name], applied[name], shape.field(name).shape)
    if (value === live[name] && name in live) continue
    if (merged === live) merged = { ...live }
    merged[name] = value
  }
  return merged
}

const isSameList = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((item, index) => item === b[index])

function mergeItems(live: unknown, applied: unknown, shape: Shape): unknown[] {
  const [old, now] = [itemsOf(live, shape), itemsOf(applied, shape)]
  const [known, stated] = [new Map(old), new Map(now)]
  const merged: unknown[] = []
  let next = 0
  const passUnstated = (): void => {
    for (; next < old.length && !stated.has(old[next]![0]); next++) merged.push(old[next]![1])
  }
  for (const [element, item] of now) {
    passUnstated()
    merged.push(known.has(element) ? merge(known.get(element), item, shape.item) : item)
    if (old[next]?.[0] === element) next++
  }
  for (; next < old.length; next++) passUnstated()
  return merged
}

/** `value` without the given fields and everything inside them. */
export function remove(value: unknown, fields: FieldSet, shape: Shape, path = ''): unknown {
  if (fields.size === 0 || isLeaf(shape, value)) return value
  if (isObject(value)) {
    const kept: Json = {}
    for (const name in value) {
      const at = child(path, `f:${name}`)
      if (!fields.has(at)) kept[name] = remove(value[name], fields, shape.field(name).shape, at)
    }
    return kept
  }
  return itemsOf(value, shape)
    .map(([element, item]) => [child(path, element), item] as const)
    .filter(([at]) => !fields.has(at))
    .map(([at, item]) => remove(item, fields, shape.item, at))
}

/** The set with the structure fields above its members, which are removed with their last member. */
export function withNamedParents(set: FieldSet, root: Shape): FieldSet {
  const all = new Set(set)
  const shapes = new Map<string, Shape>([['', root]])
  const shapeAt = (path: string): Shape => {
    const known = shapes.get(path)
    if (known !== undefined) return known
    const above = shapeAt(parentOf(path))
    const element = path.slice(path.lastIndexOf(NUL) + 1)
    const { shape, named } = element.startsWith('f:')
      ? above.field(element.slice(2))
      : { shape: above.item, named: false }
    if (named) all.add(path)
    shapes.set(path, shape)
    return shape
  }
  for (const path of set) shapeAt(path)
  return all
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true
  if (Array.isArray(value)) return value.length === 0
  if (!isObject(value)) return false
  for (const _ in value) return false
  return true
}

function itemsOf(list: unknown, shape: Shape): (readonly [element: string, item: unknown])[] {
  if (!Array.isArray(list)) return []
  return list.map((item, index) => [itemElement(shape, item) ?? `i:${index}`, item] as const)
}
