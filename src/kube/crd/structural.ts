import type { TSchema } from 'typebox'
import type { JSONSchemaProps } from '../types/apiextensions-v1.ts'

/** JSON Schema as TypeBox creates it. */
interface Json {
  readonly [keyword: string]: unknown
}

/** Keywords that mean the same in a structural schema. `x-kubernetes-*` ones pass too. */
const KEPT = new Set(
  `type description format pattern default nullable required minimum maximum exclusiveMinimum exclusiveMaximum multipleOf
  minLength maxLength minItems maxItems uniqueItems minProperties maxProperties`.split(/\s+/),
)
/** Keywords that are translated below, and those without a meaning for an API server. */
const HANDLED = new Set(
  'properties items additionalProperties patternProperties anyOf allOf const enum $id $schema title examples'.split(
    ' ',
  ),
)

/**
 * Translates a schema into the structural form that custom resource definitions require.
 *
 * Throws with the path for what this form cannot express, where the server would refuse it without one: a union of
 * different shapes, a record with a pattern for its keys, tuples, references.
 */
export const structural = (schema: TSchema, path = 'schema'): JSONSchemaProps => convert(schema as Json, path)

function convert(schema: Json, path: string): Json {
  const strange = Object.keys(schema).find(
    (key) => !KEPT.has(key) && !HANDLED.has(key) && !key.startsWith('x-kubernetes-'),
  )
  if (strange !== undefined) throw new Error(`failed to convert ${path}: ${strange} has no structural form`)
  if (schema.allOf !== undefined) return convert(merged(schema, path), path)
  if (schema.anyOf !== undefined) return union(schema, path)
  const kept = Object.fromEntries(
    Object.entries(schema).filter(([key]) => KEPT.has(key) || key.startsWith('x-kubernetes-')),
  )
  if (schema.const !== undefined) return { ...kept, ...enumOf([schema.const]) }
  if (schema.enum !== undefined) return { ...kept, ...enumOf(schema.enum as readonly unknown[]) }
  const result: Record<string, unknown> = { ...kept }
  if (schema.properties !== undefined)
    result.properties = mapValues(schema.properties as Record<string, Json>, (property, name) =>
      convert(property, `${path}.${name}`),
    )
  if (schema.items !== undefined) result.items = convert(schema.items as Json, `${path}[]`)
  const values = valuesOf(schema, path)
  if (values !== undefined) result.additionalProperties = convert(values, `${path}.*`)
  const says = Object.keys(result).some((key) => key !== 'description' && key !== 'default' && key !== 'nullable')
  return says ? result : { ...result, 'x-kubernetes-preserve-unknown-fields': true }
}

/** The schema of a record's values. `false` needs no translation: a structural schema prunes unknown fields. */
function valuesOf(schema: Json, path: string): Json | undefined {
  if (typeof schema.additionalProperties === 'object') return schema.additionalProperties as Json
  if (schema.patternProperties === undefined) return undefined
  const [[pattern, values] = ['', {}], ...more] = Object.entries(schema.patternProperties as Record<string, Json>)
  if (more.length > 0 || pattern !== '^.*$')
    throw new Error(
      `failed to convert ${path}: keys with a pattern have no structural form; check them with x-kubernetes-validations`,
    )
  return values
}

function union(schema: Json, path: string): Json {
  const { anyOf, ...outer } = schema
  const members = anyOf as readonly Json[]
  const others = members.filter(({ type }) => type !== 'null')
  const nullable = others.length < members.length ? { nullable: true } : {}
  const [only] = others
  if (only !== undefined && others.length === 1) return { ...convert(only, path), ...outer, ...nullable }
  const choices = others.flatMap(({ const: one, enum: many }) =>
    one === undefined ? ((many as unknown[] | undefined) ?? [undefined]) : [one],
  )
  if (!choices.includes(undefined)) return { ...outer, ...enumOf(choices), ...nullable }
  const types = others.map(({ type }) => type as string).toSorted()
  if (types.join() === 'integer,string' || types.join() === 'number,string')
    return { ...outer, ...nullable, 'x-kubernetes-int-or-string': true }
  throw new Error(
    `failed to convert ${path}: a union of different shapes has no structural form; use one object with optional fields`,
  )
}

function enumOf(values: readonly unknown[]): Json {
  const kinds = new Set(values.map((value) => (Number.isInteger(value) ? 'integer' : typeof value)))
  return { type: kinds.size === 1 ? [...kinds][0] : 'number', enum: values }
}

/** An intersection of objects is one object with all their fields. */
function merged({ allOf, ...outer }: Json, path: string): Json {
  const members = allOf as readonly Json[]
  if (members.some(({ type }) => type !== 'object'))
    throw new Error(`failed to convert ${path}: only objects can be intersected`)
  return {
    ...outer,
    type: 'object',
    required: [...new Set(members.flatMap(({ required }) => (required as string[] | undefined) ?? []))],
    properties: Object.assign({}, ...members.map(({ properties }) => properties)) as Json,
  }
}

const mapValues = <A, B>(
  record: Readonly<Record<string, A>>,
  change: (value: A, key: string) => B,
): Record<string, B> => Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]))
