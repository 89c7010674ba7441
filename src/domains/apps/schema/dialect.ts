import { field, isJsonArray, isJsonObject, pathOf, pointerOf, type Json, type JsonObject } from '../values/json.ts'
import { ALL_PLACES, subschemas } from './places.ts'

/** The dialects that Helm knows, oldest first. */
const DIALECTS = ['draft-04', 'draft-06', 'draft-07', 'draft/2019-09', 'draft/2020-12'] as const
export type Dialect = (typeof DIALECTS)[number]

/** As Helm reads `$schema`: with either scheme, whatever the fragment; without a version, and without `$schema`, the newest. */
export function dialectOf(schema: JsonObject): Dialect | undefined {
  const named = field(schema, '$schema')
  if (named === undefined) return 'draft/2020-12'
  if (typeof named !== 'string') return undefined
  const [, name] = /^https?:\/\/json-schema\.org\/(?:(.*)\/)?schema(?:#.*)?$/.exec(named) ?? [undefined, null]
  return name === null ? undefined : DIALECTS.find((dialect) => dialect === (name ?? 'draft/2020-12'))
}

export const KNOWN_DIALECTS = DIALECTS.map((dialect) => `https://json-schema.org/${dialect}/schema`)

/** Until draft 7 a `$ref` was alone, and formats were asserted. */
export const isOld = (dialect: Dialect): boolean => !dialect.startsWith('draft/')

/** Keywords that came later: a dialect that does not know one ignores it. */
const UNKNOWN: Readonly<Partial<Record<Dialect, readonly string[]>>> = {
  'draft-04': ['const', 'contains', 'propertyNames', 'if', 'then', 'else'],
  'draft-06': ['if', 'then', 'else'],
}

const ANNOTATIONS = ['default', 'examples', '$comment'] as const

/** The schema as the validator is to read it: with the meaning that Helm gives it. Pointers into it stay valid. */
export function prepared(schema: JsonObject, dialect: Dialect): JsonObject {
  const targets = isOld(dialect) ? [...refsIn(schema)].map((ref) => ref.slice(1)) : []
  const isTarget = (pointer: string): boolean =>
    targets.some((target) => target === pointer || target.startsWith(`${pointer}/`))
  const visit = (one: Json, pointer: string): Json => {
    if (!isJsonObject(one)) return one
    const left = new Map(Object.entries(one))
    for (const keyword of [...ANNOTATIONS, ...(UNKNOWN[dialect] ?? [])]) left.delete(keyword)
    if (isOld(dialect) && typeof left.get('$ref') === 'string') {
      for (const keyword of left.keys()) {
        if (keyword !== '$ref' && !isTarget(pointer + pointerOf([keyword]))) left.delete(keyword)
      }
    }
    if (dialect === 'draft-04') takeBooleanLimits(left)
    for (const keyword of ALL_PLACES) {
      const value = left.get(keyword)
      if (value === undefined) continue
      const at = (name: string | number): string => pointer + pointerOf([keyword, name])
      const inner = new Map([...subschemas(one, [keyword])].map(({ path, schema: sub }) => [path[1], sub]))
      if (isJsonArray(value))
        left.set(
          keyword,
          value.map((item, index) => visit(item, at(index))),
        )
      else if (!inner.has(undefined) && isJsonObject(value)) {
        const entries = Object.entries(value).map(([name, item]) => [
          name,
          inner.has(name) ? visit(item, at(name)) : item,
        ])
        left.set(keyword, Object.fromEntries(entries) as JsonObject)
      } else left.set(keyword, visit(value, pointer + pointerOf([keyword])))
    }
    return Object.fromEntries(left)
  }
  return visit(schema, '') as JsonObject
}

/** `{ "maximum": 5, "exclusiveMaximum": true }` of draft 4 is `{ "exclusiveMaximum": 5 }` today. */
function takeBooleanLimits(schema: Map<string, Json>): void {
  for (const [limit, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    const [value, isExclusive] = [schema.get(limit), schema.get(exclusive)]
    if (typeof isExclusive !== 'boolean') continue
    schema.delete(exclusive)
    if (!isExclusive || value === undefined) continue
    schema.delete(limit)
    schema.set(exclusive, value)
  }
}

function* refsIn(schema: Json): Generator<string> {
  if (!isJsonObject(schema)) return
  const ref = field(schema, '$ref')
  if (typeof ref === 'string' && ref.startsWith('#/')) yield `#${pointerOf(pathOf(ref.slice(1)))}`
  for (const { schema: inner } of subschemas(schema)) yield* refsIn(inner)
}
