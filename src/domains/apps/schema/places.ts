import { field, isJsonArray, isJsonObject, type Json, type JsonObject } from '../values/json.ts'

/*
 * Where the subschemas of a schema are. Everything else in it is data: a `$ref` in a `default`, a `const` or an `enum` is
 * a value that happens to be called so.
 */

/** About the very same value. */
const HERE = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas', 'dependencies'] as const
/** About the fields or items of the value. */
const BELOW = [
  'properties',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
  'contains',
] as const
/** About nothing until they are referred to. */
const KEPT = ['$defs', 'definitions', 'contentSchema'] as const

/** Keywords that map names to subschemas. */
const MAPS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependencies',
  '$defs',
  'definitions',
])

export interface Subschema {
  /** From the schema that holds it. */
  readonly path: readonly (string | number)[]
  readonly schema: Json
}

export const ALL_PLACES = [...HERE, ...BELOW, ...KEPT] as const

/** The subschemas directly under some keywords. */
export function* subschemas(schema: JsonObject, keywords: readonly string[] = ALL_PLACES): Generator<Subschema> {
  for (const keyword of keywords) {
    const value = field(schema, keyword)
    if (isJsonArray(value)) {
      for (const [index, inner] of value.entries()) yield { path: [keyword, index], schema: inner }
    } else if (MAPS.has(keyword) && isJsonObject(value)) {
      for (const [name, inner] of Object.entries(value)) {
        // Under `dependencies` there are lists of names, too.
        if (!isJsonArray(inner)) yield { path: [keyword, name], schema: inner }
      }
    } else if (value !== undefined) yield { path: [keyword], schema: value }
  }
}

export const subschemasHere = (schema: JsonObject): Generator<Subschema> => subschemas(schema, HERE)
