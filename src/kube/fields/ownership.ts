import type { KubeObject, ManagedFields } from '../objects.ts'
import { elementsOf, namesPath, nodeOf, partOf } from './fields-v1.ts'
import { isSameKey, itemKey, mergeKeysOf } from './list-keys.ts'
import { fieldOf, isFields, type Fields } from './fields.ts'
import type { FieldPath, PathPart } from './path.ts'

/** A field manager, as `managedFields` names it. */
export interface FieldOwner {
  readonly manager: string
  readonly operation: ManagedFields['operation']
  readonly subresource?: string
}

/** `kubectl (scale)`. */
export const ownerText = ({ manager, subresource }: FieldOwner): string =>
  subresource === undefined ? manager : `${manager} (${subresource})`

/** What one manager owns at and below the present place. `whole`: the value is owned as one. */
interface Claim {
  readonly owner: FieldOwner
  readonly fields: Fields | 'whole'
}

/** The owners of the fields of one object, followed along a walk down that object. */
export class Ownership {
  /** For an object whose `managedFields` are not known. */
  static readonly unknown = new Ownership([])

  readonly #claims: readonly Claim[]

  private constructor(claims: readonly Claim[]) {
    this.#claims = claims
  }

  static of({ metadata }: Pick<KubeObject, 'metadata'>): Ownership {
    return new Ownership(
      (metadata.managedFields ?? []).map(({ manager, operation, subresource, fieldsV1 }) => ({
        owner: { manager, operation, ...(subresource !== undefined && { subresource }) },
        fields: fieldsV1,
      })),
    )
  }

  into(part: PathPart): Ownership {
    if (this.#claims.length === 0) return this
    return new Ownership(
      this.#claims.flatMap((claim) => {
        if (claim.fields === 'whole') return [claim]
        const inner = nodeOf(claim.fields, part)
        if (inner === undefined) return []
        return [{ owner: claim.owner, fields: Object.keys(inner).length === 0 ? 'whole' : inner }]
      }),
    )
  }

  /** The managers that own this field or a field inside it. */
  owners(): FieldOwner[] {
    return this.#claims.map(({ owner }) => owner)
  }

  /** A manager owns the value as one, so that the API server merges nothing inside it. */
  get isAtomic(): boolean {
    return this.#claims.some(({ fields }) => fields === 'whole')
  }

  /** A manager owns single values of this list, so that the API server merges it as a set. */
  get isSet(): boolean {
    return this.#elements('v:').length > 0
  }

  /** The keys by which the API server merges this list, if a manager owns one of its items. */
  get itemKeys(): readonly string[] | undefined {
    const [element] = this.#elements('k:')
    const part = element === undefined ? '' : partOf(element)
    return typeof part !== 'string' && 'key' in part ? Object.keys(part.key) : undefined
  }

  #elements(prefix: string): string[] {
    return this.#claims.flatMap(({ fields }) =>
      fields === 'whole' ? [] : Object.keys(fields).filter((element) => element.startsWith(prefix)),
    )
  }
}

/** Whether a manager that `isOwner` accepts names exactly this path in `managedFields`. */
export const isOwnedBy = (
  { metadata }: Pick<KubeObject, 'metadata'>,
  path: FieldPath,
  isOwner: (owner: FieldOwner) => boolean,
): boolean => (metadata.managedFields ?? []).some((entry) => isOwner(entry) && namesPath(entry.fieldsV1, path))

/** The owner of what `manager` applied to the object itself, not to a subresource. */
export const isApplier =
  (manager: string) =>
  ({ manager: name, operation, subresource = '' }: FieldOwner): boolean =>
    name === manager && operation === 'Apply' && subresource === ''

/** The part of an object that a manager has applied, with its live values: what it has to apply again to keep it. */
export function ownedFields(live: KubeObject, manager: string): Fields {
  const entry = (live.metadata.managedFields ?? []).find(isApplier(manager))
  const part = entry === undefined ? undefined : ownedPart(live, entry.fieldsV1)
  return isFields(part) ? part : {}
}

function ownedPart(value: unknown, owned: Fields): unknown {
  const elements = elementsOf(owned)
  if (elements.length === 0) return value
  if (Array.isArray(value)) return elements.flatMap((element) => ownedItem(value, element, owned[element] as Fields))
  if (!isFields(value)) return value
  const part: Record<string, unknown> = {}
  for (const element of elements) {
    const name = element.slice(2)
    const inner = fieldOf(value, name)
    if (inner !== undefined) part[name] = ownedPart(inner, owned[element] as Fields)
  }
  return part
}

function ownedItem(list: readonly unknown[], element: string, owned: Fields): unknown[] {
  const part = partOf(element)
  if (typeof part === 'string' || 'index' in part) return []
  if ('value' in part) return list.includes(part.value) ? [part.value] : []
  const item = list.find((one) => isFields(one) && isSameKey(one, part.key))
  return item === undefined ? [] : [{ ...part.key, ...(ownedPart(item, owned) as Fields) }]
}

/** Two partial objects in one. List items meet by their merge keys; where both set a field, the second one wins. */
export function mergeFields(a: unknown, b: unknown): unknown {
  if (Array.isArray(a) && Array.isArray(b)) return mergeLists(a, b)
  if (!isFields(a) || !isFields(b)) return b ?? a
  const both: Record<string, unknown> = { ...a }
  for (const [name, value] of Object.entries(b)) both[name] = mergeFields(a[name], value)
  return both
}

function mergeLists(a: readonly unknown[], b: readonly unknown[]): readonly unknown[] {
  const keys = mergeKeysOf(a, b)
  if (keys === undefined) return b
  const twinOf = (item: unknown, list: readonly unknown[]): unknown => {
    const key = itemKey(item, keys)
    return list.find((one) => isFields(one) && key !== undefined && isSameKey(one, key))
  }
  return [...a.map((item) => mergeFields(item, twinOf(item, b))), ...b.filter((item) => twinOf(item, a) === undefined)]
}
