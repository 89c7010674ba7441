import { sameValue } from '../../kernel/index.ts'
import { displayKeysOf, isSameKey, itemKey, mergeKeysOf } from './list-keys.ts'
import { Ownership, type FieldOwner } from './ownership.ts'
import { fieldOf, isFields, type Fields } from './fields.ts'
import { pathText, type FieldPath, type PathPart } from './path.ts'
import { isHeld, isSameField } from './same.ts'

/** One field that differs between two states of an object. */
export interface FieldChange {
  readonly path: FieldPath
  readonly change: 'added' | 'removed' | 'changed'
  readonly before?: unknown
  readonly after?: unknown
}

/** One object that a change would create, change or delete. */
export interface ObjectChange {
  /** `Deployment/web`. */
  readonly object: string
  readonly change: 'created' | 'deleted' | 'changed'
  /** Of a new object all its fields; empty for one that is deleted as a whole. */
  readonly fields: readonly FieldChange[]
}

/** What saving a change would do: the result of `preview` in every domain. */
export interface PreviewDiff {
  /** Changes of what the user wrote. */
  readonly values: readonly FieldChange[]
  readonly objects: readonly ObjectChange[]
  /** Fields that would stay as they are although they differ, and why. */
  readonly leftAlone?: readonly { readonly object: string; readonly path: string; readonly why: string }[]
  /** What the API server could not be asked about, and why. */
  readonly notConsulted?: readonly string[]
}

/** Fields that are compared and shown as one value, such as secrets. */
type IsWhole = (path: FieldPath) => boolean

/**
 * All fields that differ, sorted by path. What was added or removed is listed field by field.
 * List items are paired by their keys, so that an item that moved is not a new one.
 */
export const diffFields = (before: unknown, after: unknown, isWhole: IsWhole = () => false): readonly FieldChange[] =>
  compare(before, after, [], isWhole)
    .map((change) => ({ change, text: pathText(change.path) }))
    .toSorted((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
    .map(({ change }) => change)

function compare(before: unknown, after: unknown, path: FieldPath, isWhole: IsWhole): FieldChange[] {
  if (sameValue(before, after)) return []
  if (!isWhole(path)) {
    if (isFields(before) && isFields(after)) {
      return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) =>
        compare(fieldOf(before, name), fieldOf(after, name), [...path, name], isWhole),
      )
    }
    if (Array.isArray(before) && Array.isArray(after)) return compareLists(before, after, path, isWhole)
    if (before === undefined) return leafFields(after, 'added', path, isWhole)
    if (after === undefined) return leafFields(before, 'removed', path, isWhole)
  }
  if (before === undefined) return [{ path, change: 'added', after }]
  if (after === undefined) return [{ path, change: 'removed', before }]
  return [{ path, change: 'changed', before, after }]
}

function compareLists(
  before: readonly unknown[],
  after: readonly unknown[],
  path: FieldPath,
  isWhole: IsWhole,
): FieldChange[] {
  const [old, now] = pairedItems(before, after)
  return [...new Set([...now.keys(), ...old.keys()])].flatMap((name) => {
    const [was, is] = [old.get(name), now.get(name)]
    const { part } = (is ?? was) as ListItem
    return compare(was?.item, is?.item, [...path, part], isWhole)
  })
}

interface ListItem {
  readonly part: PathPart
  readonly item: unknown
}
type ListItems = ReadonlyMap<string, ListItem>

/**
 * The items of two lists under the same name where they are the same item. In a list without merge keys an item that
 * took the place of another one is that item changed.
 */
function pairedItems(before: readonly unknown[], after: readonly unknown[]): readonly [ListItems, ListItems] {
  const mergeKeys = mergeKeysOf(before, after)
  const keys = mergeKeys ?? displayKeysOf(before, after)
  const [old, now] = [itemsBy(before, keys), itemsBy(after, keys)]
  if (mergeKeys !== undefined || keys === undefined) return [new Map(old), new Map(now)]
  const isUnpaired = (name: string | undefined, others: readonly (readonly [string, ListItem])[]): boolean =>
    name !== undefined && !others.some(([other]) => other === name)
  const isReplaced = (index: number): boolean => isUnpaired(old[index]?.[0], now) && isUnpaired(now[index]?.[0], old)
  const placed = (items: readonly (readonly [string, ListItem])[]): ListItems =>
    new Map(
      items.map(([name, one], index) => (isReplaced(index) ? [`${index}`, { ...one, part: { index } }] : [name, one])),
    )
  return [placed(old), placed(now)]
}

const itemsBy = (list: readonly unknown[], keys: readonly string[] | undefined): (readonly [string, ListItem])[] =>
  list.map((item, index) => {
    const key = keys && itemKey(item, keys)
    return [JSON.stringify(key ?? index), { part: key === undefined ? { index } : { key }, item }]
  })

/** The fields of a value that hold no other fields. The keys of a list item are in its path. */
export function leafFields(
  value: unknown,
  change: 'added' | 'removed',
  path: FieldPath = [],
  isWhole: IsWhole = () => false,
): FieldChange[] {
  const steps = isWhole(path) ? [] : stepsInto(value, path.at(-1))
  const leaves = steps.flatMap(([part, item]) => leafFields(item, change, [...path, part], isWhole))
  if (leaves.length > 0) return leaves
  if (value === undefined) return []
  return [change === 'added' ? { path, change, after: value } : { path, change, before: value }]
}

function stepsInto(value: unknown, part: PathPart | undefined): (readonly [PathPart, unknown])[] {
  if (Array.isArray(value)) return itemsBy(value, displayKeysOf(value)).map(([, step]) => [step.part, step.item])
  if (!isFields(value)) return []
  const key = typeof part === 'object' && 'key' in part ? part.key : {}
  return Object.entries(value).filter(([name]) => !Object.hasOwn(key, name))
}

/** A wanted field that the live object does not have: `before` is live, `after` is wanted. */
export interface UnmetField extends FieldChange {
  /** The managers that own the live field or a field inside it. */
  readonly owners: readonly FieldOwner[]
}

/**
 * The wanted fields that a live object does not have. Fields that are not wanted belong to others and are not compared.
 * Lists are merged as the API server does: by `ownership` where it is known, else by the merge keys of built-in kinds.
 */
export function unmetFields(wanted: Fields, live: unknown, ownership = Ownership.unknown): UnmetField[] {
  return unmetInFields(wanted, isFields(live) ? live : {}, ownership, [])
}

function unmetInFields(wanted: Fields, live: Fields, ownership: Ownership, path: FieldPath): UnmetField[] {
  const found: UnmetField[] = []
  for (const name of Object.keys(wanted)) {
    const there = fieldOf(live, name)
    // Most fields are met. Those need neither an owner nor a path.
    if (!Object.is(wanted[name], there))
      found.push(...unmet(wanted[name], there, ownership.into(name), [...path, name]))
  }
  return found
}

function unmet(wanted: unknown, live: unknown, ownership: Ownership, path: FieldPath): UnmetField[] {
  if (wanted === undefined || Object.is(wanted, live)) return []
  if (isFields(wanted) && isFields(live)) return unmetInFields(wanted, live, ownership, path)
  if (Array.isArray(wanted) && Array.isArray(live)) return unmetInList(wanted, live, ownership, path)
  return isSameField(wanted, live, path) ? [] : [unmetField(path, wanted, live, ownership)]
}

const unmetField = (path: FieldPath, wanted: unknown, live: unknown, ownership: Ownership): UnmetField => ({
  path,
  ...(live === undefined ? { change: 'added' } : { change: 'changed', before: live }),
  after: wanted,
  owners: ownership.owners(),
})

function unmetInList(
  wanted: readonly unknown[],
  live: readonly unknown[],
  ownership: Ownership,
  path: FieldPath,
): UnmetField[] {
  if (sameValue(wanted, live)) return []
  const keys = ownership.isAtomic ? undefined : (ownership.itemKeys ?? mergeKeysOf(wanted.length > 0 ? wanted : live))
  if (keys !== undefined) return unmetItems(wanted, live, keys, ownership, path)
  if (!ownership.isAtomic && ownership.isSet) {
    return wanted
      .filter((value) => !live.includes(value))
      .map((value) => unmetField([...path, { value }], value, undefined, ownership))
  }
  return isHeld(wanted, live, path) ? [] : [unmetField(path, wanted, live, ownership)]
}

/** Live items that are not wanted (sidecars, injected volumes) belong to others. */
const unmetItems = (
  wanted: readonly unknown[],
  live: readonly unknown[],
  keys: readonly string[],
  ownership: Ownership,
  path: FieldPath,
): UnmetField[] =>
  wanted.flatMap((item) => {
    const key = itemKey(item, keys)
    if (key === undefined) return []
    const twin = live.find((one) => isFields(one) && isSameKey(one, key))
    return unmet(item, twin, ownership.into({ key }), [...path, { key }])
  })
