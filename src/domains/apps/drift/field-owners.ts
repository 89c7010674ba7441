import type { ManagedFields } from '../../../kube/index.ts'
import type { PathPart } from './field-path.ts'
import { isJsonObject, type Json, type JsonObject } from '../values/json.ts'
import { isSameKey } from './list-keys.ts'

/** Who holds a field, as `managedFields` has it. */
export interface Owner {
  readonly manager: string
  readonly operation: ManagedFields['operation']
  readonly subresource?: string
}

/** `kubectl (scale)`. */
export const ownerText = ({ manager, subresource }: Owner): string =>
  subresource === undefined ? manager : `${manager} (${subresource})`

/** What one manager owns at and below the present place. `whole`: the value is owned as one, with everything in it. */
interface Claim {
  readonly owner: Owner
  readonly fields: JsonObject | 'whole'
}

/**
 * The owners of the fields of one object, read along with a walk down that object.
 *
 * In FieldsV1 `f:x` is a field, `k:{…}` a list item known by keys, `v:…` an item of a set, `i:…` a place in a list, `.` the
 * thing itself without its contents, and an empty object a leaf.
 */
export class Ownership {
  readonly #claims: readonly Claim[]

  private constructor(claims: readonly Claim[]) {
    this.#claims = claims
  }

  static of(managedFields: readonly ManagedFields[]): Ownership {
    return new Ownership(
      managedFields.map(({ manager, operation, subresource, fieldsV1 }) => ({
        owner: { manager, operation, ...(subresource !== undefined && { subresource }) },
        fields: fieldsV1 as JsonObject,
      })),
    )
  }

  into(part: PathPart): Ownership {
    return new Ownership(
      this.#claims.flatMap((claim) => {
        if (claim.fields === 'whole') return [claim]
        const inner = childOf(claim.fields, part)
        if (inner === undefined) return []
        return [{ owner: claim.owner, fields: Object.keys(inner).length === 0 ? 'whole' : inner }]
      }),
    )
  }

  /** Those who hold this field or something in it. */
  owners(): Owner[] {
    return this.#claims.map(({ owner }) => owner)
  }

  /** Somebody owns the value as one, so the API server merges nothing inside it. */
  get isAtomic(): boolean {
    return this.#claims.some(({ fields }) => fields === 'whole')
  }

  /** The fields by which the items of this list are known, if anybody owns one of them. */
  get itemKeys(): readonly string[] | undefined {
    for (const { fields } of this.#claims) {
      const found = fields === 'whole' ? undefined : Object.keys(fields).find((name) => name.startsWith('k:'))
      if (found !== undefined) return Object.keys(keysIn(found))
    }
    return undefined
  }
}

function childOf(fields: JsonObject, part: PathPart): JsonObject | undefined {
  const found = typeof part === 'string' ? fields[`f:${part}`] : itemOf(fields, part)
  return isJsonObject(found) ? found : undefined
}

function itemOf(fields: JsonObject, part: Exclude<PathPart, string>): Json | undefined {
  if ('index' in part) return fields[`i:${part.index}`]
  if ('value' in part) return fields[`v:${JSON.stringify(part.value)}`]
  const name = Object.keys(fields).find((key) => key.startsWith('k:') && isSameKey(part.key, keysIn(key)))
  return name === undefined ? undefined : fields[name]
}

const keysIn = (name: string): JsonObject => {
  const parsed: unknown = JSON.parse(name.slice(2))
  return isJsonObject(parsed) ? parsed : {}
}
