import { Validator } from '@cfworker/json-schema'
import { at, isEqual, isList, isObject, merged } from './json.ts'
import type { Json, JsonObject } from './json.ts'

/** A schema of draft 7 without references, as the API makes it for forms. */
export type Schema = JsonObject

export type Shape = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'choice' | 'null'

/** Several ways to fill in one place, of which one is in use. */
export interface Alternatives {
  readonly titles: readonly string[]
  readonly options: readonly Schema[]
  readonly selected: number
}

/** What applies to one place at this moment: conditions are decided, branches merged into one flat description. */
export interface Effective {
  readonly schema: Schema
  readonly alternatives?: Alternatives
}

const CONDITIONAL = new Set(['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', 'dependencies'])

/**
 * @param chosen which alternative the person picked here; without it, the one that fits the value
 */
export function effective(schema: Schema, value: Json | undefined, chosen?: number): Effective {
  let flat: Schema = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !CONDITIONAL.has(keyword)))
  let alternatives: Alternatives | undefined
  const add = (branch: Json | undefined): void => {
    if (!isObject(branch)) return
    const inner = effective(branch, value, chosen)
    flat = tightened(flat, inner.schema)
    alternatives ??= inner.alternatives
  }
  for (const branch of listOf(schema.allOf)) add(branch)
  if (schema.if !== undefined) add(fits(schema.if, value) ? schema.then : schema.else)
  for (const [name, branch] of Object.entries(isObject(schema.dependencies) ? schema.dependencies : {})) {
    if (at(value, [name]) !== undefined) add(branch)
  }
  const options = listOf(schema.oneOf ?? schema.anyOf).filter(isObject)
  const constants = options.map((option) => option.const)
  if (options.length > 0 && constants.every((constant) => constant !== undefined)) {
    flat = { ...flat, enum: constants, 'x-titles': options.map((option) => titleOf(option, '')) }
  } else if (options.length > 0) {
    const selected = Math.min(chosen ?? selectedOf(options, value), options.length - 1)
    add(options[selected])
    alternatives = { titles: options.map((option, index) => titleOf(option, `Option ${index + 1}`)), options, selected }
  }
  return alternatives === undefined ? { schema: flat } : { schema: flat, alternatives }
}

function selectedOf(options: readonly Schema[], value: Json | undefined): number {
  const fitting = options.findIndex((option) => fits(option, value))
  if (fitting >= 0) return fitting
  const named = options.findIndex((option) => {
    const fixed = Object.entries(constantsOf(option))
    return fixed.length > 0 && fixed.every(([name, constant]) => isEqual(at(value, [name]), constant))
  })
  return Math.max(named, 0)
}

/** The fields that an alternative fixes, and which distinguish it from the others. */
export const constantsOf = (option: Schema): JsonObject =>
  Object.fromEntries(
    Object.entries(isObject(option.properties) ? option.properties : {}).flatMap(([name, inner]): [string, Json][] =>
      isObject(inner) && inner.const !== undefined ? [[name, inner.const]] : [],
    ),
  )

const titleOf = (schema: Schema, otherwise: string): string => {
  if (typeof schema.title === 'string') return schema.title
  const [constant] = schema.const === undefined ? Object.values(constantsOf(schema)) : [schema.const]
  return constant === undefined ? otherwise : textOf(constant)
}

/** A value as it is spoken of: texts without quotes. */
export const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Both at once; where both speak about the same keyword the stricter one counts. */
function tightened(a: Schema, b: Schema): Schema {
  const entries = Object.entries(b).map(([keyword, theirs]): [string, Json] => {
    const ours = a[keyword]
    return [keyword, ours === undefined ? theirs : both(keyword, ours, theirs)]
  })
  return { ...a, ...Object.fromEntries(entries) }
}

function both(keyword: string, ours: Json, theirs: Json): Json {
  if (typeof ours === 'number' && typeof theirs === 'number') {
    if (/^(m|exclusiveM)in/.test(keyword)) return Math.max(ours, theirs)
    if (/^(m|exclusiveM)ax/.test(keyword)) return Math.min(ours, theirs)
  }
  if (keyword === 'required') return [...new Set([...listOf(ours), ...listOf(theirs)])]
  if (keyword === 'enum') return listOf(ours).filter((value) => listOf(theirs).some((other) => isEqual(value, other)))
  if (keyword === 'properties' && isObject(ours) && isObject(theirs)) {
    const names = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])]
    return Object.fromEntries(
      names.map((name) => {
        const [first, second] = [ours[name], theirs[name]]
        return [name, isObject(first) && isObject(second) ? tightened(first, second) : (first ?? second ?? {})]
      }),
    )
  }
  return theirs
}

const validators = new WeakMap<JsonObject, Validator>()

/** Whether a value satisfies a schema. Interprets it: the policy of the page forbids compiling it to code. */
export function fits(schema: Json, value: Json | undefined): boolean {
  if (typeof schema === 'boolean') return schema
  if (!isObject(schema)) return true
  let validator = validators.get(schema)
  if (validator === undefined) {
    validator = new Validator(checkable(schema) as object, '7')
    validators.set(schema, validator)
  }
  return value === undefined ? schema.required === undefined : validator.validate(value).valid
}

/**
 * Without patterns that only the server's engine can read; it checks them too. And objects are not closed: the API closes
 * each for itself, without its branches, to say that a form shows no more than this.
 */
export function checkable(schema: Json): Json {
  if (isList(schema)) return schema.map(checkable)
  if (!isObject(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, inner]): [string, Json][] => {
      if (keyword === 'additionalProperties' && inner === false) return []
      if (keyword === 'pattern' && typeof inner === 'string' && !isReadable(inner)) return []
      return [[keyword, keyword === 'enum' || keyword === 'const' ? inner : checkable(inner)]]
    }),
  )
}

function isReadable(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp
  } catch {
    return false
  }
}

export const listOf = (value: Json | undefined): readonly Json[] => (isList(value) ? value : [])

export const requiredOf = (schema: Schema): readonly string[] =>
  listOf(schema.required).filter((name) => typeof name === 'string')

/** Fields in the order of the schema. */
export const propertiesOf = (schema: Schema): readonly (readonly [string, Schema])[] =>
  Object.entries(isObject(schema.properties) ? schema.properties : {}).map(([name, inner]) => [
    name,
    isObject(inner) ? inner : {},
  ])

export function shapeOf({ type, enum: choices, const: constant, properties, items }: Schema): Shape {
  if (isList(choices) || constant !== undefined) return 'choice'
  const [named] = listOf(isList(type) ? type : [type ?? null]).filter((name) => name !== 'null' && name !== null)
  if (typeof named === 'string') return named as Shape
  if (properties !== undefined) return 'object'
  if (items !== undefined) return 'array'
  return type === undefined ? 'string' : 'null'
}

export const isWriteOnly = (schema: Schema): boolean => schema.writeOnly === true || schema.format === 'password'

/** What a new place starts with: what the schema proposes, and what it leaves no choice about. */
export function seedOf(schema: Schema): Json | undefined {
  const { schema: flat } = effective(schema, undefined)
  if (flat.const !== undefined) return flat.const
  if (shapeOf(flat) !== 'object') return isWriteOnly(flat) ? undefined : flat.default
  const fields = propertiesOf(flat).flatMap(([name, inner]): [string, Json][] => {
    const seed = seedOf(inner)
    return seed === undefined ? [] : [[name, seed]]
  })
  return fields.length === 0 ? flat.default : merged(Object.fromEntries(fields), flat.default)
}

/** Every name that some branch knows, whether or not it applies now. */
export function knownNames(schema: Schema): ReadonlySet<string> {
  const names = new Set(propertiesOf(schema).map(([name]) => name))
  const branches = [
    ...listOf(schema.allOf),
    ...listOf(schema.anyOf),
    ...listOf(schema.oneOf),
    schema.then,
    schema.else,
    ...Object.values(isObject(schema.dependencies) ? schema.dependencies : {}),
  ]
  for (const branch of branches) if (isObject(branch)) for (const name of knownNames(branch)) names.add(name)
  return names
}
