import { sameValue } from '../../../kernel/index.ts'
import { changeAt, field, isJsonArray, isJsonObject, pathOf, readAt, type Json, type JsonObject } from './json.ts'
import { alternatives, isWriteOnly, itemSchemasOf, pointersWhere, userSchemaOf } from '../schema/walk.ts'
import type { Secrets } from './seal.ts'

/*
 * Write-only values: a tenant writes them, and no interface returns them. They are taken out of the user part before it is
 * stored, and put back only on the way to Helm.
 */

/** Where `userValues` holds something write-only. */
export const secretPointers = (valuesSchema: JsonObject | null, userValues: JsonObject): string[] =>
  valuesSchema === null
    ? []
    : pointersWhere(valuesSchema, userSchemaOf(valuesSchema), userValues, (schema) => isSecret(valuesSchema, schema))

/** Where the values of a release, defaults included, hold something write-only, in the user part or elsewhere. */
export const writeOnlyPointers = (valuesSchema: JsonObject | null, values: JsonObject): string[] =>
  valuesSchema === null
    ? []
    : pointersWhere(valuesSchema, valuesSchema, values, (schema) => isSecret(valuesSchema, schema))

/** The same for a value that `schema`, a part of `root`, is about. */
export const secretPointersUnder = (root: JsonObject, schema: JsonObject, value: Json): string[] =>
  pointersWhere(root, schema, value, (one) => isSecret(root, one))

/** What must be masked in every text about a release: the secrets of the tenant, and those of the template. */
export function* secretsOfRelease(
  valuesSchema: JsonObject | null,
  values: JsonObject,
  tenant: Secrets,
): Generator<Json> {
  yield* Object.values(tenant)
  for (const pointer of writeOnlyPointers(valuesSchema, values)) yield readAt(values, pointer) ?? null
}

/** A list of write-only items is one as a whole: without its items it would have no places to put them back to. */
const isSecret = (root: JsonObject, schema: JsonObject): boolean =>
  isWriteOnly(schema) || itemSchemasOf(schema).some((items) => alternatives(root, items).some(isWriteOnly))

export interface SplitValues {
  readonly open: JsonObject
  readonly secrets: Secrets
}

export function splitSecrets(valuesSchema: JsonObject | null, userValues: JsonObject): SplitValues {
  const pointers = secretPointers(valuesSchema, userValues)
  const open = changeAt(userValues, pointers, () => undefined)
  const secrets = pointers.map((pointer): [string, Json] => [pointer, readAt(userValues, pointer) ?? null])
  return { open: isJsonObject(open) ? open : {}, secrets: Object.fromEntries(secrets) }
}

export function joinSecrets({ open, secrets }: SplitValues): JsonObject {
  const joined = Object.entries(secrets).reduce<Json>((all, [pointer, value]) => put(all, pathOf(pointer), value), open)
  return isJsonObject(joined) ? joined : {}
}

function put(into: Json, [key, ...rest]: readonly string[], value: Json): Json {
  if (key === undefined) return value
  if (isJsonArray(into)) return into.map((item, index) => (String(index) === key ? put(item, rest, value) : item))
  const object = isJsonObject(into) ? into : {}
  return { ...object, [key]: put(field(object, key) ?? {}, rest, value) }
}

/**
 * What a tenant means who writes `submitted` without being able to see the stored secrets: a write-only field that is
 * absent keeps its value, `null` removes it, anything else replaces it. All other fields are replaced as written, so a
 * secret goes with the object or list item it belonged to.
 */
export function keepSecrets(valuesSchema: JsonObject | null, submitted: JsonObject, stored: SplitValues): JsonObject {
  const kept = Object.entries(stored.secrets).reduce<Json>(
    (values, [pointer, value]) => keep(values, stored.open, pathOf(pointer), value),
    submitted,
  )
  const values = isJsonObject(kept) ? kept : {}
  const removed = secretPointers(valuesSchema, values).filter((pointer) => readAt(values, pointer) === null)
  const rest = changeAt(values, removed, () => undefined)
  return isJsonObject(rest) ? rest : {}
}

function keep(into: Json, storedOpen: Json | undefined, [key = '', ...rest]: readonly string[], secret: Json): Json {
  if (isJsonArray(into) && isJsonArray(storedOpen)) {
    const index = successorOf(Number(key), storedOpen, into)
    return into.map((item, at) => (at === index ? keep(item, storedOpen[Number(key)], rest, secret) : item))
  }
  if (!isJsonObject(into)) return into
  const present = field(into, key)
  if (rest.length === 0) return present === undefined ? { ...into, [key]: secret } : into
  const inner = isJsonObject(storedOpen) ? field(storedOpen, key) : undefined
  return present === undefined ? into : { ...into, [key]: keep(present, inner, rest, secret) }
}

/** What an item of a list is known by, when it has such a field. */
const IDENTITY = ['id', 'name', 'key'] as const

/**
 * Which new item an old one became: the only one with the same identity, or else with the same open fields. When that is
 * not certain there is none: a secret must rather be asked for again than be given to another item.
 */
function successorOf(index: number, before: readonly Json[], after: readonly Json[]): number | undefined {
  const old = before[index]
  const identity = isJsonObject(old) ? IDENTITY.find((key) => isPlain(field(old, key))) : undefined
  const same =
    identity === undefined
      ? (item: Json | undefined) => sameValue(item, old)
      : (item: Json | undefined) =>
          isJsonObject(item) && sameValue(field(item, identity), (old as JsonObject)[identity])
  const found = after.flatMap((item, at) => (same(item) ? [at] : []))
  return found.length === 1 && before.filter(same).length === 1 ? found[0] : undefined
}

const isPlain = (value: Json | undefined): boolean => typeof value === 'string' || typeof value === 'number'
