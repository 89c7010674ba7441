import { subschemas } from './places.ts'
import { field, isJsonArray, isJsonObject, pointerOf, readAt, type Json, type JsonObject } from '../values/json.ts'

/*
 * Reading a JSON Schema as a description of places rather than as a test. Only local references are followed; the limits
 * have refused the others.
 */

export const REFERENCE_KEYWORDS = ['$ref', '$dynamicRef', '$recursiveRef'] as const
/** Keywords whose subschemas speak about the very same value. */
const SAME_PLACE_LISTS = ['allOf', 'anyOf', 'oneOf'] as const
const SAME_PLACE = ['if', 'then', 'else'] as const
const SAME_PLACE_MAPS = ['dependentSchemas', 'dependencies'] as const

/** References that lead to references; a longer chain goes round. */
const MAX_REFS = 32

/** The schema that `$ref` names, with the keywords beside the reference laid over it. */
export function resolve(root: JsonObject, schema: Json | undefined): JsonObject | undefined {
  let current = schema
  let beside: JsonObject = {}
  for (let hops = 0; hops < MAX_REFS; hops++) {
    if (!isJsonObject(current)) return undefined
    const ref = REFERENCE_KEYWORDS.map((keyword) => field(current as JsonObject, keyword)).find(
      (value) => typeof value === 'string',
    )
    if (typeof ref !== 'string') return { ...current, ...beside }
    const { $ref: _ref, $dynamicRef: _dynamic, $recursiveRef: _recursive, ...others } = current
    beside = { ...others, ...beside }
    current = target(root, ref)
  }
  return undefined
}

function target(root: JsonObject, ref: string): Json | undefined {
  return targets(root, ref)[0]
}

/** Several only for a `$dynamicRef`: which one it means depends on the way that led there. */
export function targets(root: JsonObject, ref: string): readonly Json[] {
  const known = resolved.get(root) ?? new Map<string, readonly Json[]>()
  resolved.set(root, known)
  const found =
    known.get(ref) ?? (ref === '#' ? [root] : ref.startsWith('#/') ? pointed(root, ref) : anchored(root, ref))
  known.set(ref, found)
  return found
}

/** Schemas do not change, and looking for an anchor reads all of one. */
const resolved = new WeakMap<JsonObject, Map<string, readonly Json[]>>()

/** `undefined`: it is not written as a pointer in a URL is. */
export function pointerIn(ref: string): string | undefined {
  try {
    return decodeURIComponent(ref.slice(1))
  } catch {
    return undefined
  }
}

function pointed(root: JsonObject, ref: string): Json[] {
  const pointer = pointerIn(ref)
  const found = pointer === undefined ? undefined : readAt(root, pointer)
  return found === undefined ? [] : [found]
}

function anchored(root: JsonObject, ref: string): JsonObject[] {
  const name = ref.slice(1)
  const found: JsonObject[] = []
  const visit = (schema: Json): void => {
    if (!isJsonObject(schema)) return
    if (field(schema, '$anchor') === name || field(schema, '$dynamicAnchor') === name) found.push(schema)
    for (const { schema: inner } of subschemas(schema)) visit(inner)
  }
  visit(root)
  return found
}

/**
 * `schema` and every subschema that may speak about the same value, whichever branch holds. Each is told once, so that
 * references that fan out or go round cost no more than the schema is long.
 */
export function alternatives(root: JsonObject, schema: Json | undefined, told = new Set<Json>()): JsonObject[] {
  if (schema === undefined || told.has(schema)) return []
  told.add(schema)
  const own = resolve(root, schema)
  if (own === undefined) return []
  const lists = SAME_PLACE_LISTS.flatMap((keyword) => listOf(field(own, keyword)))
  const singles = SAME_PLACE.map((keyword) => field(own, keyword))
  const maps = SAME_PLACE_MAPS.flatMap((keyword) => valuesOf(field(own, keyword)))
  return [own, ...[...lists, ...singles, ...maps].flatMap((inner) => alternatives(root, inner, told))]
}

/** What a choice that is written as alternatives (`oneOf: [{ const: 's', title: 'Small' }, …]`) leaves to choose from. */
export function constantsOf(root: JsonObject, { oneOf, anyOf }: JsonObject): readonly Json[] | undefined {
  const options = listOf(oneOf ?? anyOf).map((option) => field(resolve(root, option) ?? {}, 'const'))
  return options.length > 0 && options.every((option) => option !== undefined) ? options : undefined
}

const listOf = (value: Json | undefined): readonly Json[] => (isJsonArray(value) ? value : [])
const valuesOf = (value: Json | undefined): readonly Json[] => (isJsonObject(value) ? Object.values(value) : [])

/**
 * The pointers into `value` at which some subschema that may apply fits `holds`, outermost only.
 *
 * Every branch of a conditional counts, also those that do not apply now: for "may this be shown?" the careful answer is the
 * right one.
 */
export function pointersWhere(
  root: JsonObject,
  schema: Json | undefined,
  value: Json | undefined,
  holds: (schema: JsonObject) => boolean,
): string[] {
  const visit = (schemas: readonly (Json | undefined)[], inner: Json | undefined, pointer: string): string[] => {
    if (inner === undefined) return []
    const told = new Set<Json>()
    const here = schemas.flatMap((one) => alternatives(root, one, told))
    if (here.some(holds)) return [pointer]
    if (isJsonArray(inner)) {
      return inner.flatMap((item, index) =>
        visit(
          here.flatMap((one) => itemSchemas(one, index)),
          item,
          `${pointer}/${index}`,
        ),
      )
    }
    if (!isJsonObject(inner)) return []
    return Object.entries(inner).flatMap(([key, item]) =>
      visit(
        here.flatMap((one) => propertySchemas(one, key)),
        item,
        pointer + pointerOf([key]),
      ),
    )
  }
  return visit([schema], value, '')
}

const itemSchemas = (schema: JsonObject, index: number): Json[] => {
  const { contains, unevaluatedItems } = schema
  const [tuple, rest] = tupleOf(schema)
  return [tuple[index] ?? rest, contains, unevaluatedItems].filter((one) => one !== undefined)
}

/** All that a schema says about items of a list, wherever they stand. */
export const itemSchemasOf = (schema: JsonObject): Json[] => {
  const [tuple, rest] = tupleOf(schema)
  return [...tuple, rest].filter((one) => one !== undefined)
}

/** Until 2020-12 a list under `items` was a tuple and `additionalItems` the rest. */
function tupleOf({
  items,
  prefixItems,
  additionalItems,
}: JsonObject): [tuple: readonly Json[], rest: Json | undefined] {
  return isJsonArray(items) ? [items, additionalItems] : [listOf(prefixItems), items]
}

/** All that a schema says about a field of an object. */
export function propertySchemas(schema: JsonObject, key: string): Json[] {
  const { properties, additionalProperties, unevaluatedProperties } = schema
  const named = isJsonObject(properties) ? field(properties, key) : undefined
  if (named !== undefined) return [named, ...valuesOf(schema.patternProperties)]
  return [...valuesOf(schema.patternProperties), additionalProperties, unevaluatedProperties].filter(
    (one) => one !== undefined,
  )
}

/** Write-only by JSON Schema's own keyword, or a password by its format. */
export const isWriteOnly = (schema: JsonObject): boolean => schema.writeOnly === true || schema.format === 'password'

export const isReadOnly = (schema: JsonObject): boolean => schema.readOnly === true

/** The schema of the user part, or `undefined` when the template takes no input. */
export function userSchemaOf(valuesSchema: JsonObject | null): JsonObject | undefined {
  if (valuesSchema === null) return undefined
  const { properties } = valuesSchema
  const user = isJsonObject(properties) ? field(properties, 'user') : undefined
  return user === true ? {} : resolve(valuesSchema, user)
}
