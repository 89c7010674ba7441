import {
  Ownership,
  ownerText,
  pathIn,
  pathText,
  unmetFields,
  type FieldConflict,
  type FieldOwner,
  type KubeObject,
} from '../../../kube/index.ts'
import { show } from './diff.ts'
import { isSecretField, objectName } from './diff-objects.ts'
import { asStored } from './manifest-fields.ts'
import { isJsonObject, type Json, type JsonObject } from '../values/json.ts'
import { meantToDiffer, type Allowance, type OwnershipFacts } from './allowed-owners.ts'
import type { DriftSeen, HandedOver, Unrepairable } from '../observed.ts'
import type { Redacted } from '../values/redaction.ts'

/** The field manager of Helm 4 and of our repairs. */
export const OUR_MANAGER = 'helm'
/** The text for a field without an owner. */
export const NO_MANAGER = 'no manager'

/** A field that we set and that has another value now. Secret values are masked. */
export interface DifferingField {
  readonly path: string
  readonly ours: Json
  readonly live: Json | null
  /** The field manager that owns it now, or `NO_MANAGER`. */
  readonly owner: string
}

export interface LeftAlone extends DifferingField, Allowance {
  /**
   * Whether it is left out of what we apply. What is ignored and nobody else holds must not be: it would be removed. It is
   * applied with the rest of its object; a webhook that changed it changes it again.
   */
  readonly isLeftOut: boolean
}

export interface ObjectDrift {
  /** `Deployment/web`. */
  readonly object: string
  /** The object itself is gone. */
  readonly missing: boolean
  readonly drifted: readonly DifferingField[]
  readonly leftAlone: readonly LeftAlone[]
  /** What the API server refuses to have as it was. */
  readonly unrepairable: readonly Omit<Unrepairable, 'object'>[]
}

/**
 * Compares the fields that the stored manifest sets with the live object. A dry run of the API server confirms the result.
 * `mask` hides a tenant's secrets that a chart rendered into plain fields.
 */
export function driftOf(
  desired: JsonObject,
  live: KubeObject | undefined,
  facts: OwnershipFacts,
  mask: (text: string) => string,
): Redacted<ObjectDrift> {
  const object = objectName(desired)
  if (live === undefined)
    return { object, missing: true, drifted: [], leftAlone: [], unrepairable: [] } as unknown as Redacted<ObjectDrift>
  const hidden = { isSecret: isSecretField(desired), mask }
  const drifted: DifferingField[] = []
  const leftAlone: LeftAlone[] = []
  for (const { path, before, after, owners } of unmetFields(settable(desired), live, Ownership.of(live))) {
    const others = owners.filter(({ manager }) => manager !== OUR_MANAGER)
    const [owner] = [...others, ...owners]
    const shown = {
      path: pathText(path),
      ours: show(after, path, hidden) as Json,
      live: show(before ?? null, path, hidden) as Json,
      owner: owner === undefined ? NO_MANAGER : ownerText(owner),
    }
    const allowance = meantToDiffer(desired, path, others, facts)
    const isLeftOut = allowance?.rule === undefined || others.length > 0 || before === undefined
    if (allowance === undefined) drifted.push(shown)
    else leftAlone.push({ ...shown, ...allowance, isLeftOut })
  }
  return { object, missing: false, drifted, leftAlone, unrepairable: [] } as unknown as Redacted<ObjectDrift>
}

/** The fields that an apply can set: no status and no identity; `stringData` as the API server stores it. */
function settable(desired: JsonObject): JsonObject {
  const { apiVersion: _version, kind: _kind, metadata, status: _status, ...rest } = asStored(desired)
  const { labels = {}, annotations = {} } = isJsonObject(metadata) ? metadata : {}
  return { metadata: { labels, annotations }, ...rest }
}

/** Without the values, which are not needed to leave a field out. */
const handedOver = (object: string, { path, owner, why, rule }: LeftAlone): HandedOver => ({
  object,
  path,
  owner,
  why,
  ...(rule !== undefined && { rule }),
})

/** The drift of a release, as `decide` takes it. */
export const driftSeen = (objects: readonly ObjectDrift[]): DriftSeen => ({
  edited: objects.filter(({ drifted }) => drifted.length > 0).map(({ object }) => object),
  missing: objects.filter(({ missing }) => missing).map(({ object }) => object),
  handedOver: objects.flatMap(({ object, leftAlone }) =>
    leftAlone.filter(({ isLeftOut }) => isLeftOut).map((one) => handedOver(object, one)),
  ),
  ignored: objects.flatMap(({ object, leftAlone }) =>
    leftAlone.flatMap(({ path, rule }) => (rule === undefined ? [] : [{ object, path, rule }])),
  ),
  unrepairable: objects.flatMap(({ object, unrepairable }) => unrepairable.map((one) => ({ object, ...one }))),
})

export interface Settlement {
  /** Fields to take back: they are applied by force. */
  readonly repair: readonly FieldConflict[]
  /** Fields to leave out of what is applied. */
  readonly handOver: readonly HandedOver[]
}

/** What to do about the fields of `desired`, as it is stored, for which a dry run names other managers. */
export function settleConflicts(
  desired: JsonObject,
  conflicts: readonly FieldConflict[],
  facts: OwnershipFacts,
): Settlement {
  const object = objectName(desired)
  const repair: FieldConflict[] = []
  const handOver: HandedOver[] = []
  for (const conflict of conflicts) {
    const { field, manager, subresource } = conflict
    const path = pathIn(desired, field)
    const owner: FieldOwner = { manager, operation: 'Update', ...(subresource !== undefined && { subresource }) }
    const allowance = path && meantToDiffer(desired, path, [owner], facts)
    if (path === undefined || allowance === undefined) repair.push(conflict)
    else handOver.push({ object, path: pathText(path), owner: ownerText(owner), ...allowance })
  }
  return { repair, handOver }
}
