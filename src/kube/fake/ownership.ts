import { Refusal } from './failure.ts'
import {
  difference,
  elementsOf,
  type FieldSet,
  fieldText,
  fieldSetOf,
  fieldsV1Of,
  intersection,
  sameSet,
  union,
} from './field-set.ts'
import { isObject, type Json, listAt, objectAt, textAt, without } from './json.ts'
import { compare, fieldsOf, merge, remove, withNamedParents } from './merge.ts'
import type { Shape } from './shape.ts'

/** The author of a write, as `metadata.managedFields` names it. */
export interface Writer {
  readonly manager: string
  readonly operation: 'Apply' | 'Update'
  readonly apiVersion: string
  readonly subresource: string
}

interface Owner extends Writer {
  readonly time: string | undefined
  readonly fields: FieldSet
}

export interface Ownership {
  readonly shape: Shape
  readonly now: string
  /** Whether this endpoint does not write the field, so that it gets no owner. */
  ignores(path: string): boolean
}

/** Whether two writers share an entry. An applier keeps its entry in another version of the API. */
const isSame = (a: Writer, b: Writer): boolean =>
  a.manager === b.manager &&
  a.operation === b.operation &&
  a.subresource === b.subresource &&
  (a.operation === 'Apply' || a.apiVersion === b.apiVersion)

/** Never owned: identity and what the server itself writes. */
const UNOWNED: FieldSet = new Set(
  [
    ['apiVersion'],
    ['kind'],
    ['metadata'],
    ...['name', 'namespace', 'creationTimestamp', 'uid', 'generation', 'managedFields', 'resourceVersion'].map(
      (field) => ['metadata', field],
    ),
    ...['deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink'].map((field) => ['metadata', field]),
  ].map((path) => path.map((name) => `f:${name}`).join('\u0000')),
)

/**
 * Merges an applied configuration into the live object.
 *
 * Fields that the writer no longer states are removed unless another manager owns them. A field that another manager
 * owns with another value is a conflict; with force the writer takes it over.
 */
export function applied(live: Json, config: Json, writer: Writer, force: boolean, rules: Ownership): Json {
  const { shape } = rules
  const owners = ownersOf(live)
  const before = withoutOwners(live)
  const last = owners.find((owner) => isSame(owner, writer))
  const others = owners.filter((owner) => owner !== last)
  const all = fieldsOf(config, shape)
  const stated = owned(all, rules)

  const merged = merge(before, config, shape)
  const lapsed = last === undefined ? new Set<string>() : withNamedParents(last.fields, shape)
  const held = [all, ...others.map(({ fields }) => fields)].reduce(union)
  const after = remove(merged, difference(lapsed, withNamedParents(held, shape)), shape) as Json

  const seen = compare(before, after, shape)
  const touched = new Set([...seen.added, ...seen.changed].filter((path) => !rules.ignores(path)))
  const conflicts = others
    .map((owner) => ({ owner, fields: intersection(owner.fields, touched) }))
    .filter(({ fields }) => fields.size > 0)
  if (!force && conflicts.length > 0) throw applyConflict(conflicts)

  const remaining = others.map((owner) => ({
    ...owner,
    fields: difference(difference(owner.fields, touched), seen.removed),
  }))
  const isSameSet = last !== undefined && sameSet(last.fields, stated)
  const mine: Owner = { ...writer, time: rules.now, fields: isSameSet ? last.fields : stated }
  const unchanged = isSameSet && seen.added.size + seen.changed.size + seen.removed.size === 0
  return withOwners(after, unchanged ? owners : [...remaining, mine])
}

/** Records an update: the writer owns the changed fields, and removed fields lose their owners. */
export function updated(live: Json, next: Json, writer: Writer, rules: Ownership): Json {
  const owners = ownersOf(live)
  const after = withoutOwners(next)
  const seen = compare(withoutOwners(live), after, rules.shape)
  const touched = owned(union(seen.added, seen.changed), rules)
  const lost = new Set([...seen.removed, ...touched])
  const previous = owners.find((owner) => isSame(owner, writer))
  const others = owners
    .filter((owner) => owner !== previous)
    .map((owner) => ({ ...owner, fields: difference(owner.fields, lost) }))
  const kept = previous === undefined ? new Set<string>() : difference(previous.fields, seen.removed)
  const mine: Owner = {
    ...writer,
    time: touched.size === 0 ? previous?.time : writer.subresource === 'scale' ? undefined : rules.now,
    fields: union(kept, touched),
  }
  return withOwners(after, [...others, mine])
}

function owned(fields: FieldSet, rules: Ownership): FieldSet {
  const kept = new Set<string>()
  for (const path of fields) if (!UNOWNED.has(path) && !rules.ignores(path)) kept.add(path)
  return kept
}

const withoutOwners = (object: Json): Json => ({
  ...object,
  metadata: without(objectAt(object, 'metadata'), 'managedFields'),
})

function withOwners(object: Json, owners: readonly Owner[]): Json {
  const entries = owners
    .filter(({ fields }) => fields.size > 0)
    .toSorted((a, b) => (a.operation === b.operation ? timeOrder(a, b) : a.operation < b.operation ? -1 : 1))
    .map(({ manager, operation, apiVersion, time, fields, subresource }) => ({
      manager,
      operation,
      apiVersion,
      ...(time !== undefined && { time }),
      fieldsType: 'FieldsV1',
      fieldsV1: fieldsV1Of(fields),
      ...(subresource !== '' && { subresource }),
    }))
  const metadata = objectAt(object, 'metadata')
  return { ...object, metadata: entries.length === 0 ? metadata : { ...metadata, managedFields: entries } }
}

const timeOrder = (a: Owner, b: Owner): number =>
  byteOrder(a.time ?? '', b.time ?? '') || byteOrder(a.manager, b.manager)

const byteOrder = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)

const ownersOf = (object: Json): Owner[] =>
  listAt(objectAt(object, 'metadata'), 'managedFields').filter(isObject).map(ownerOf)

/** An entry is never changed in place, so it is read once. */
const ownerOfEntry = new WeakMap<Json, Owner>()

function ownerOf(entry: Json): Owner {
  const known = ownerOfEntry.get(entry)
  if (known !== undefined) return known
  const owner: Owner = {
    manager: textAt(entry, 'manager'),
    operation: entry['operation'] === 'Apply' ? 'Apply' : 'Update',
    apiVersion: textAt(entry, 'apiVersion'),
    subresource: textAt(entry, 'subresource'),
    time: typeof entry['time'] === 'string' ? entry['time'] : undefined,
    fields: fieldSetOf(objectAt(entry, 'fieldsV1')),
  }
  ownerOfEntry.set(entry, owner)
  return owner
}

interface Conflict {
  readonly owner: Owner
  readonly fields: FieldSet
}

const ownerText = ({ manager, operation, apiVersion, subresource }: Owner): string =>
  `"${manager}"` +
  (subresource === '' ? '' : ` with subresource "${subresource}"`) +
  (operation === 'Update' ? ` using ${apiVersion}` : '')

function applyConflict(conflicts: readonly Conflict[]): Refusal {
  const causes = conflicts.flatMap(({ owner, fields }) =>
    shallowFirst(fields).map((path) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${ownerText(owner)}`,
      field: fieldText(path),
    })),
  )
  const [first] = causes
  const text =
    causes.length === 1 && first !== undefined
      ? `Apply failed with 1 conflict: ${first.message}: ${first.field}`
      : `Apply failed with ${causes.length} conflicts: ${conflicts.map(conflictText).join('\n')}`
  return new Refusal(409, 'Conflict', text, { causes })
}

const conflictText = ({ owner, fields }: Conflict): string =>
  [`conflicts with ${ownerText(owner)}:`, ...shallowFirst(fields).map((path) => `- ${fieldText(path)}`)].join('\n')

const shallowFirst = (fields: FieldSet): string[] =>
  [...fields].toSorted((a, b) => elementsOf(a).length - elementsOf(b).length || (a < b ? -1 : 1))
