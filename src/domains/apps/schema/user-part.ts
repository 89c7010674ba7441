import {
  ancestorsOf,
  field,
  isJsonArray,
  isJsonObject,
  pathOf,
  pointerOf,
  readAt,
  type Json,
  type JsonObject,
} from '../values/json.ts'
import type { Layout } from '../values/layout.ts'
import type { FieldProblem, Template } from '../types.ts'
import { reservedPointers, type SystemValues } from '../values/values.ts'
import { checkMergedValues, checkUserValues } from './schema.ts'
import { alternatives, propertySchemas, REFERENCE_KEYWORDS, resolve } from './walk.ts'

/*
 * What tenants may set. Everything that looks at it expects it under `user`. A template that has it at the root of its values
 * is shown to them as if it were there: its schema, without what the platform sets, becomes `properties.user`.
 */

type Described = Pick<Template, 'valuesSchema' | 'defaultValues' | 'layout'>
/** Schema and defaults with the user part under `user`. */
export type UserPart = Pick<Template, 'valuesSchema' | 'defaultValues'>

export function userPartOf({ valuesSchema, defaultValues, layout }: Described): UserPart {
  if (layout.userValues === 'user') return { valuesSchema, defaultValues }
  const schema = valuesSchema === null ? undefined : withoutPlaces(valuesSchema, platformPaths(layout))
  if (schema === undefined) return { valuesSchema: null, defaultValues: {} }
  const { $schema, $id: _id, ...root } = schema
  return {
    valuesSchema: {
      ...($schema !== undefined && { $schema }),
      type: 'object',
      properties: { user: moved(root) },
    },
    defaultValues: { user: described(schema, schema, defaultValues) },
  }
}

/** The problems of what a tenant wrote. Pointers begin with `/user`, wherever the chart has it. */
export function checkSettings(template: Described, userValues: JsonObject): FieldProblem[] {
  const part = userPartOf(template)
  if (template.layout.userValues === 'user' || part.valuesSchema === null) return checkUserValues(part, userValues)
  const reserved = platformPaths(template.layout).filter((path) => isTouched(userValues, path))
  if (reserved.length > 0) {
    return reserved.map((path) => refused(path, 'is set by the platform and cannot be changed'))
  }
  const unknown = undescribed(part.valuesSchema, readAt(part.valuesSchema, '/properties/user'), userValues)
  if (unknown.length > 0) return unknown.map((path) => refused(path, 'cannot be set: this product has no such setting'))
  return checkUserValues(part, userValues)
}

const refused = (path: readonly string[], message: string): FieldProblem => ({
  field: pointerOf(['user', ...path]),
  message,
})

/** What is wrong with the values of a release. A schema of settings at the root says nothing about the rest of them. */
export const checkRelease = (
  { valuesSchema, layout }: Described,
  effective: JsonObject,
  system: SystemValues,
): FieldProblem[] =>
  layout.userValues === 'root' ? [] : checkMergedValues(valuesSchema, effective, reservedPointers(system))

function platformPaths({ domainPaths, ingressClassPaths, caelusValues }: Layout): string[][] {
  return [...domainPaths, ...ingressClassPaths, ...(caelusValues ? ['/caelus'] : [])].map(pathOf)
}

/** Something is written there, or something above it that would have to give way. */
function isTouched(values: JsonObject, path: readonly string[]): boolean {
  const pointer = pointerOf(path)
  if (readAt(values, pointer) !== undefined) return true
  return ancestorsOf(pointer).some((above) => {
    const value = readAt(values, above)
    return value !== undefined && !isJsonObject(value)
  })
}

const PLACE_LISTS = ['allOf', 'anyOf', 'oneOf'] as const

/** The schema without the fields at `paths`; `undefined` when nothing is left of it. */
function withoutPlaces(root: JsonObject, paths: readonly (readonly string[])[]): JsonObject | undefined {
  const visit = (schema: Json, below: readonly (readonly string[])[]): Json | undefined => {
    if (below.length === 0) return schema
    const own = resolve(root, schema)
    if (own === undefined) return schema
    const properties = isJsonObject(own.properties) ? own.properties : {}
    const gone = new Set<string>()
    const kept = Object.entries(properties).flatMap(([name, inner]): [string, Json][] => {
      const here = below.filter(([first]) => first === name).map((path) => path.slice(1))
      const left = here.some((path) => path.length === 0) ? undefined : visit(inner, here)
      if (left === undefined) gone.add(name)
      return left === undefined ? [] : [[name, left]]
    })
    if (gone.size > 0 && kept.length === 0) return undefined
    const lists = PLACE_LISTS.flatMap((keyword): [string, Json][] => {
      const list = field(own, keyword)
      return isJsonArray(list) ? [[keyword, list.map((one) => visit(one, below) ?? {})]] : []
    })
    return {
      ...own,
      ...(own.properties !== undefined && { properties: Object.fromEntries(kept) }),
      ...(isJsonArray(own.required) && { required: own.required.filter((name) => !gone.has(name as string)) }),
      ...Object.fromEntries(lists),
    }
  }
  const left = visit(root, paths)
  return isJsonObject(left) ? left : undefined
}

/** With references that say where things are now. */
function moved(schema: Json): Json {
  if (isJsonArray(schema)) return schema.map(moved)
  if (!isJsonObject(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]): [string, Json] => {
      const isReference = (REFERENCE_KEYWORDS as readonly string[]).includes(key) && typeof value === 'string'
      if (!isReference) return [key, moved(value)]
      const isPointer = value === '#' || value.startsWith('#/')
      // A recursive reference means the outermost schema, which is another one here.
      return [key === '$recursiveRef' ? '$ref' : key, isPointer ? `#/properties/user${value.slice(1)}` : value]
    }),
  )
}

/** What of `values` the schema gives a name to: the defaults that a tenant would change. */
function described(root: JsonObject, schema: Json | undefined, values: Json): Json {
  if (!isJsonObject(values)) return values
  const here = alternatives(root, schema)
  const named = here.map(({ properties }) => properties).filter(isJsonObject)
  if (named.length === 0) return values
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]): [string, Json][] => {
      const inner = named.flatMap((properties) => field(properties, key) ?? [])
      return inner.length === 0 ? [] : [[key, described(root, { allOf: inner }, value)]]
    }),
  )
}

/** Where `values` go beyond what the schema describes, also where it does not forbid that: the rest is the chart's. */
function undescribed(root: JsonObject, schema: Json | undefined, values: JsonObject): string[][] {
  const visit = (schemas: readonly Json[], value: Json, path: readonly string[]): string[][] => {
    if (!isJsonObject(value)) return []
    const here = schemas.flatMap((one) => alternatives(root, one))
    const isOpen = path.length > 0 && here.every(({ properties }) => properties === undefined)
    return Object.entries(value).flatMap(([key, inner]) => {
      const known = here.flatMap((one) => propertySchemas(one, key)).filter((one) => one !== false)
      if (known.length === 0 && !isOpen) return [[...path, key]]
      return visit(known, inner, [...path, key])
    })
  }
  return visit(schema === undefined ? [] : [schema], values, [])
}

/** Where a schema has its field for the host, by its title: charts that say so need not be told. */
export function hostPaths(root: JsonObject): string[] {
  const visit = (schema: Json | undefined, path: readonly string[]): string[] => {
    if (path.length > 8) return []
    return alternatives(root, schema).flatMap((own) => {
      if (path.length > 0 && typeof own.title === 'string' && /^host ?name$/i.test(own.title)) return [pointerOf(path)]
      const properties = isJsonObject(own.properties) ? Object.entries(own.properties) : []
      return properties.flatMap(([name, inner]) => visit(inner, [...path, name]))
    })
  }
  return [...new Set(visit(root, []))]
}
