import { alternatives } from '../schema/walk.ts'
import { field, isJsonArray, isJsonObject, type Json, type JsonObject } from '../values/json.ts'

/** A domain that no chart has by itself. */
export const SAMPLE_DOMAIN = 'sample-order.caelus.example'

export const SAMPLE_DEPLOYMENT = {
  id: '00000000-0000-4000-8000-000000000000',
  deploymentUid: 'sample-order',
  namespaceName: 'sample-order',
  domainname: SAMPLE_DOMAIN,
} as const

/** Deep enough for every form. */
const DEEPEST = 8

/** What a tenant would have to write at least: required fields that have no default. */
export function sampleSettings(root: JsonObject, schema: Json | undefined, defaults: JsonObject): JsonObject {
  return required(root, schema, defaults, 0)
}

function required(root: JsonObject, schema: Json | undefined, defaults: JsonObject, depth: number): JsonObject {
  const here = alternatives(root, schema)
  const names = new Set(here.flatMap((one) => (isJsonArray(one.required) ? one.required : [])))
  const described = Object.assign({}, ...here.map(({ properties }) => properties ?? {})) as JsonObject
  const written = [...names].flatMap((name): [string, Json][] => {
    if (typeof name !== 'string' || depth > DEEPEST) return []
    const given = field(defaults, name)
    const inner = field(described, name)
    if (given !== undefined && !isJsonObject(given)) return []
    const value = isJsonObject(given) ? required(root, inner, given, depth + 1) : valueFor(root, inner, depth + 1)
    return isJsonObject(given) && Object.keys(value as JsonObject).length === 0 ? [] : [[name, value]]
  })
  return Object.fromEntries(written)
}

function valueFor(root: JsonObject, schema: Json | undefined, depth: number): Json {
  const here = alternatives(root, schema)
  const said = (keyword: string): Json | undefined =>
    here.map((one) => field(one, keyword)).find((value) => value !== undefined)
  const choice = said('enum')
  const example =
    said('default') ?? said('const') ?? (isJsonArray(choice) ? choice[0] : undefined) ?? first(said('examples'))
  if (example !== undefined) return example
  const type = first(said('type')) ?? (said('properties') === undefined ? 'string' : 'object')
  switch (typeof type === 'string' ? type : 'string') {
    case 'object':
      return required(root, schema, {}, depth)
    case 'array':
      return Array.from({ length: Math.min(numberOf(said('minItems'), 0), 10) }, () =>
        valueFor(root, said('items'), depth + 1),
      )
    case 'integer':
    case 'number':
      return numberOf(said('minimum'), numberOf(said('exclusiveMinimum'), 0) + 1)
    case 'boolean':
      return false
    case 'null':
      return null
    default:
      return textFor(said('format'), numberOf(said('minLength'), 1))
  }
}

const first = (value: Json | undefined): Json | undefined => (isJsonArray(value) ? value[0] : value)
const numberOf = (value: Json | undefined, otherwise: number): number => (typeof value === 'number' ? value : otherwise)

const FORMATS: Readonly<Record<string, string>> = {
  email: 'sample@caelus.example',
  hostname: 'sample.caelus.example',
  uri: 'https://sample.caelus.example/',
  date: '2026-01-01',
  'date-time': '2026-01-01T00:00:00Z',
  ipv4: '192.0.2.1',
  uuid: SAMPLE_DEPLOYMENT.id,
}

const textFor = (format: Json | undefined, length: number): string =>
  (typeof format === 'string' ? FORMATS[format] : undefined) ?? 'sample'.padEnd(Math.min(length, 1_000), 'x')
