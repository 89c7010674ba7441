import { at, isEqual, isList, isObject, merged, pointerOf, withAt } from './json.ts'
import type { Json, JsonObject, Path } from './json.ts'
import { constantsOf, effective, knownNames, propertiesOf, seedOf } from './schema.ts'
import type { Alternatives, Schema } from './schema.ts'

/**
 * What a person has filled in so far. A write-only field is absent when the stored value is kept, null when it is to be
 * removed, and otherwise the value that replaces it: the same three words that travel.
 */
export interface FormState {
  readonly values: JsonObject
  /** Pointers of write-only fields that have a stored value. */
  readonly held: readonly string[]
  /** Which alternative was picked at which pointer. */
  readonly choices: Readonly<Record<string, number>>
}

interface FormSource {
  readonly schema: Schema
  /** What the template gives when nothing is written. */
  readonly defaults: JsonObject
  /** What was written before. */
  readonly written?: JsonObject
  readonly held?: readonly string[]
}

/** The template's defaults, what its schema proposes beneath them, and what was written before on top. */
export function initialState({ schema, defaults, written = {}, held = [] }: FormSource): FormState {
  const values = merged(merged(seedOf(schema), defaults), written)
  return { values: isObject(values) ? values : {}, held, choices: {} }
}

export const isHeld = ({ held }: FormState, path: Path): boolean => held.includes(pointerOf(path))

/** Taking the last field out of a group takes the group away too: what is optional as a whole is absent as a whole. */
export function setAt(state: FormState, path: Path, value: Json | undefined): FormState {
  const values = withAt(state.values, path, value)
  const parent = path.slice(0, -1)
  const around = at(values, parent)
  const isEmptied = value === undefined && typeof parent.at(-1) === 'string' && isObject(around)
  if (isEmptied && Object.keys(around).length === 0) return setAt(state, parent, undefined)
  return { ...state, values: isObject(values) ? values : {} }
}

export function addItem(state: FormState, path: Path, item: Schema): FormState {
  const items = at(state.values, path)
  return setAt(state, path, [...(isList(items) ? items : []), seedOf(item) ?? emptyOf(item)])
}

const emptyOf = (schema: Schema): Json => {
  const { schema: flat } = effective(schema, undefined)
  if (flat.type === 'object' || flat.properties !== undefined) return {}
  if (flat.type === 'array') return []
  if (flat.type === 'boolean') return false
  if (flat.type === 'integer' || flat.type === 'number') return typeof flat.minimum === 'number' ? flat.minimum : 0
  return isList(flat.enum) ? (flat.enum[0] ?? '') : ''
}

/** What was known about the items behind it moves up with them. */
export function removeItem(state: FormState, path: Path, index: number): FormState {
  const { held, choices } = renumbered(state, path, (place) =>
    place === index ? undefined : place > index ? place - 1 : place,
  )
  return { values: setAt(state, [...path, index], undefined).values, held, choices }
}

/** The item changes places with its neighbour, and takes along what is known about it. */
export function swapItems(state: FormState, path: Path, index: number, other: number): FormState {
  const items = at(state.values, path)
  const [one, two] = isList(items) ? [items[index], items[other]] : []
  if (!isList(items) || one === undefined || two === undefined) return state
  const swapped = items.map((item, place) => (place === index ? two : place === other ? one : item))
  const { held, choices } = renumbered(state, path, (place) =>
    place === index ? other : place === other ? index : place,
  )
  return { values: setAt(state, path, swapped).values, held, choices }
}

/** What is known about places inside a list after its items have got other numbers; `undefined`: the item is gone. */
function renumbered(
  state: FormState,
  path: Path,
  numberOf: (place: number) => number | undefined,
): Pick<FormState, 'held' | 'choices'> {
  const prefix = `${pointerOf(path)}/`
  const moved = (pointer: string): string | undefined => {
    if (!pointer.startsWith(prefix)) return pointer
    const [place = '', ...rest] = pointer.slice(prefix.length).split('/')
    const now = numberOf(Number(place))
    return now === undefined ? undefined : [`${prefix}${now}`, ...rest].join('/')
  }
  return {
    held: state.held.flatMap((pointer) => moved(pointer) ?? []),
    choices: Object.fromEntries(
      Object.entries(state.choices).flatMap(([pointer, choice]): [string, number][] => {
        const now = moved(pointer)
        return now === undefined ? [] : [[now, choice]]
      }),
    ),
  }
}

/** Takes another alternative: what only the one before knew goes, what this one fixes or proposes comes. */
export function choose(state: FormState, path: Path, { options, selected }: Alternatives, next: number): FormState {
  const [before, after] = [options[selected] ?? {}, options[next] ?? {}]
  const choices = { ...state.choices, [pointerOf(path)]: next }
  const value = at(state.values, path)
  if (propertiesOf(after).length === 0 && propertiesOf(before).length === 0) {
    return { ...setAt(state, path, seedOf(after)), choices }
  }
  const kept = knownNames(after)
  const old = Object.entries(isObject(value) ? value : {}).filter(
    ([name]) => kept.has(name) || !knownNames(before).has(name),
  )
  return { ...setAt(state, path, merged(merged(seedOf(after), Object.fromEntries(old)), constantsOf(after))), choices }
}

/** What is sent: without fields whose condition no longer holds, and without what the template gives anyway. */
export function writtenValues(state: FormState, { schema, defaults, written = {} }: FormSource): JsonObject {
  const pruned = prune(schema, state.values, [], state)
  const changed = overrides(defaults, isObject(pruned) ? pruned : {}, written)
  return isObject(changed) ? changed : {}
}

/** Fields that no form shows are left as they are; those that a condition has hidden go. */
function prune(schema: Schema, value: Json, path: Path, state: FormState): Json {
  const { schema: flat } = effective(schema, value, state.choices[pointerOf(path)])
  if (isList(value)) {
    return value.map((item, index) => {
      const described = isList(flat.items) ? flat.items[index] : flat.items
      return isObject(described) ? prune(described, item, [...path, index], state) : item
    })
  }
  if (!isObject(value)) return value
  const shown = new Map(propertiesOf(flat))
  const known = knownNames(schema)
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]): [string, Json][] => {
      const described = shown.get(name)
      if (described !== undefined) return [[name, prune(described, inner, [...path, name], state)]]
      return known.has(name) ? [] : [[name, inner]]
    }),
  )
}

/** A field that was written before stays written, even when it equals the default now: a user chose it. */
function overrides(defaults: Json | undefined, value: Json, written: Json | undefined): Json | undefined {
  if (isObject(value) && isObject(defaults ?? {})) {
    const entries = Object.entries(value).flatMap(([name, inner]): [string, Json][] => {
      const changed = overrides(at(defaults, [name]), inner, at(written, [name]))
      return changed === undefined ? [] : [[name, changed]]
    })
    const isNew = defaults === undefined || written !== undefined
    return entries.length > 0 || isNew ? Object.fromEntries(entries) : undefined
  }
  return written === undefined && isEqual(defaults, value) ? undefined : value
}
