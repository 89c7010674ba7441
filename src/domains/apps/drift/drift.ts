import type { FieldConflict, KubeObject } from '../../../kube/index.ts'
import { show } from './diff.ts'
import { isSecretField, objectName } from './diff-objects.ts'
import { Ownership, ownerText, type Owner } from './field-owners.ts'
import { pathText, type PathPart } from './field-path.ts'
import { field, isJsonArray, isJsonObject, pointerOf, textOf, type Json, type JsonObject } from '../values/json.ts'
import { isSameKey, itemKey, mergeKeysOf } from './list-keys.ts'
import { meantToDiffer, type OwnershipFacts } from './allowed-owners.ts'
import type { DriftSeen, HandedOver } from '../observed.ts'
import { MASK, type Redacted } from '../values/redaction.ts'
import { holds, saysTheSame } from './same-field.ts'

/** Helm 4 writes by server-side apply under this name, and so do our repairs. */
export const OUR_MANAGER = 'helm'

/** A field that we set and that has another value now. Values of secrets are masked. */
export interface DifferingField {
  readonly path: string
  readonly ours: Json
  readonly live: Json | null
  /** Who holds it now; `nobody` when it was taken out. */
  readonly owner: string
}

export interface LeftAlone extends DifferingField {
  readonly why: string
}

export interface ObjectDrift {
  /** `Deployment/web`. */
  readonly object: string
  /** The object itself is gone. */
  readonly missing: boolean
  readonly drifted: readonly DifferingField[]
  readonly leftAlone: readonly LeftAlone[]
}

/**
 * Compares an object of the stored manifest with the live one, field by field of what we set: a field that we did not set
 * is never looked at. This is a suspicion: the API server has the last word in a dry run. `mask` hides what a chart
 * rendered of a tenant's secrets into plain fields.
 */
export function driftOf(
  desired: JsonObject,
  live: KubeObject | undefined,
  facts: OwnershipFacts,
  mask: (text: string) => string,
): Redacted<ObjectDrift> {
  const object = objectName(desired)
  if (live === undefined)
    return { object, missing: true, drifted: [], leftAlone: [] } as unknown as Redacted<ObjectDrift>
  const isSecret = isSecretField(desired)
  const drifted: DifferingField[] = []
  const leftAlone: LeftAlone[] = []
  const ownership = Ownership.of(live.metadata.managedFields ?? [])
  for (const { path, ours, live: now, owners } of differences(
    settable(desired),
    live as unknown as JsonObject,
    ownership,
  )) {
    const others = owners.filter(({ manager }) => manager !== OUR_MANAGER)
    const owner = (others[0] ?? owners[0]) === undefined ? 'nobody' : ownerText((others[0] ?? owners[0]) as Owner)
    const text = pathText(path)
    const pointer = pointerOf(path.map((part) => (typeof part === 'string' ? part : '-')))
    const shownOf = (value: Json): Json => (isSecret(pointer) ? MASK : show(value, [], { mask }))
    const shown = { path: text, ours: shownOf(ours), live: shownOf(now ?? null), owner }
    const why = meantToDiffer(object, text, others, facts)
    if (why === undefined) drifted.push(shown)
    else leftAlone.push({ ...shown, why })
  }
  return { object, missing: false, drifted, leftAlone } as unknown as Redacted<ObjectDrift>
}

/** What an apply can set: no status, no identity; a Secret's plain text as the API server will keep it. */
function settable(desired: JsonObject): JsonObject {
  const { apiVersion: _version, kind, metadata, status: _status, stringData, ...rest } = desired
  const { labels = {}, annotations = {} } = isJsonObject(metadata) ? metadata : {}
  const plain = kind === 'Secret' && isJsonObject(stringData) ? encoded(stringData) : undefined
  const data = isJsonObject(rest.data) ? rest.data : {}
  return { metadata: { labels, annotations }, ...rest, ...(plain && { data: { ...data, ...plain } }) }
}

const encoded = (data: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(textOf(text)).toString('base64')]))

interface Difference {
  readonly path: readonly PathPart[]
  readonly ours: Json
  readonly live: Json | undefined
  readonly owners: readonly Owner[]
}

function differences(
  ours: Json,
  live: Json | undefined,
  ownership: Ownership,
  path: readonly PathPart[] = [],
): Difference[] {
  const text = pathText(path)
  if (saysTheSame(ours, live, text)) return []
  const here: Difference = { path, ours, live, owners: ownership.owners() }
  if (isJsonObject(ours) && isJsonObject(live)) {
    return Object.entries(ours).flatMap(([name, value]) =>
      differences(value, field(live, name), ownership.into(name), [...path, name]),
    )
  }
  if (!isJsonArray(ours) || !isJsonArray(live)) return [here]
  if (ownership.isAtomic) return holds(ours, live, text) ? [] : [here]
  const keys = ownership.itemKeys ?? mergeKeysOf(ours, live)
  if (keys !== undefined) return itemDifferences(ours, live, keys, ownership, path)
  const isSet = [...ours, ...live].every((item) => typeof item !== 'object')
  if (!isSet) return holds(ours, live, text) ? [] : [here]
  return ours
    .filter((item) => !live.includes(item))
    .map((item): Difference => ({ ...here, path: [...path, { value: item }], ours: item, live: undefined }))
}

/** Items of the live list that we did not ask for (sidecars, injected volumes) are not looked at. */
const itemDifferences = (
  ours: readonly Json[],
  live: readonly Json[],
  keys: readonly string[],
  ownership: Ownership,
  path: readonly PathPart[],
): Difference[] =>
  ours.flatMap((item) => {
    const key = itemKey(item, keys)
    if (key === undefined) return []
    const twin = live.find((one) => isJsonObject(one) && isSameKey(one, key))
    return differences(item, twin, ownership.into({ key }), [...path, { key }])
  })

/** All objects of a release in the words of `decide`. */
export const driftSeen = (objects: readonly ObjectDrift[]): DriftSeen => ({
  edited: objects.filter(({ drifted }) => drifted.length > 0).map(({ object }) => object),
  missing: objects.filter(({ missing }) => missing).map(({ object }) => object),
  handedOver: objects.flatMap(({ object, leftAlone }) =>
    leftAlone.map(({ path, owner }): HandedOver => ({ object, path, owner })),
  ),
})

export interface Settlement {
  /** To be taken back: the field is applied by force, alone. */
  readonly repair: readonly FieldConflict[]
  /** To be left out of what is applied. */
  readonly handOver: readonly HandedOver[]
}

/** What to do about the fields for which a dry run of the new manifest names other managers. There is no third answer. */
export function settleConflicts(
  object: string,
  conflicts: readonly FieldConflict[],
  facts: OwnershipFacts,
): Settlement {
  const judged = conflicts.map((conflict) => {
    const { manager, subresource } = conflict
    const owner: Owner = { manager, operation: 'Update', ...(subresource !== undefined && { subresource }) }
    return { conflict, owner, isMeant: meantToDiffer(object, conflict.field, [owner], facts) !== undefined }
  })
  return {
    repair: judged.filter(({ isMeant }) => !isMeant).map(({ conflict }) => conflict),
    handOver: judged
      .filter(({ isMeant }) => isMeant)
      .map(({ conflict, owner }) => ({ object, path: conflict.field, owner: ownerText(owner) })),
  }
}
