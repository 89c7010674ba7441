import { isStorable, UNSTORABLE } from '../../../store/index.ts'
import { messageOf } from '../../../kernel/index.ts'
import {
  field,
  isJsonArray,
  isJsonObject,
  pathOf,
  pointerOf,
  readAt,
  type Json,
  type JsonObject,
} from '../values/json.ts'
import { tooWide } from './cost.ts'
import { linearPattern } from './linear-pattern.ts'
import { subschemas } from './places.ts'
import { pointerIn, REFERENCE_KEYWORDS, targets } from './walk.ts'
import type { FieldProblem } from '../types.ts'

/** Generous for people, hopeless for an attack: validation time grows with all of these. */
export const LIMITS = {
  /** Charts that describe pods bring all that Kubernetes says about them: some 400 kB. */
  schemaBytes: 1_048_576,
  schemaDepth: 40,
  /** Subschemas that one value is held to, with references followed: no value could be validated beyond. */
  subschemasOfOne: 20_000,
  /** Subschemas that are evaluated for all of the values together: about a second if every one fails. */
  evaluations: 400_000,
  valuesBytes: 262_144,
  valuesDepth: 20,
  /** Comparing every pair for `uniqueItems` is the most that one array can cost. */
  arrayItems: 1_000,
  patternLength: 1_000,
} as const

const FORBIDDEN_KEY = '__proto__'

const OF_SCHEMAS = { bytes: LIMITS.schemaBytes, depth: LIMITS.schemaDepth }

/** Whether a schema is too large or too deep to be walked through. */
export const isExcessive = (schema: JsonObject): boolean => sizeProblems(schema, OF_SCHEMAS).length > 0

/** What a schema may not contain, whatever its dialect says. */
export function schemaProblems(schema: JsonObject): FieldProblem[] {
  const limits = sizeProblems(schema, OF_SCHEMAS)
  if (limits.length > 0) return limits
  const problems: FieldProblem[] = []
  visit(schema, [], problems)
  const places = [...placesIn(schema)]
  for (const { path, schema: one } of places) problems.push(...placeProblems(schema, one, path))
  if (problems.length > 0) return problems
  const wide = tooWide(schema, places, LIMITS.subschemasOfOne)
  if (wide === undefined) return []
  const message =
    wide.cost.is === 'endless'
      ? 'refers to itself without end'
      : `holds one value to more than ${LIMITS.subschemasOfOne} subschemas once its references are followed`
  return [problem(pointerOf(wide.place.path), message)]
}

interface Place {
  readonly path: readonly (string | number)[]
  readonly schema: JsonObject
}

/** Every subschema once, also those that only references lead to. */
function* placesIn(root: JsonObject): Generator<Place> {
  const seen = new Set<Json>()
  const left: Place[] = [{ path: [], schema: root }]
  for (let place = left.pop(); place !== undefined; place = left.pop()) {
    if (seen.has(place.schema)) continue
    seen.add(place.schema)
    yield place
    const { path } = place
    for (const { path: below, schema } of subschemas(place.schema)) {
      if (isJsonObject(schema)) left.push({ path: [...path, ...below], schema })
    }
    for (const ref of referencesOf(place.schema)) {
      const pointer = ref.value.startsWith('#/') ? pointerIn(ref.value) : undefined
      const schema = pointer === undefined ? undefined : readAt(root, pointer)
      if (pointer !== undefined && isJsonObject(schema)) left.unshift({ path: pathOf(pointer), schema })
    }
  }
}

const referencesOf = (schema: JsonObject): { readonly keyword: string; readonly value: string }[] =>
  REFERENCE_KEYWORDS.flatMap((keyword) => {
    const value = field(schema, keyword)
    return typeof value === 'string' ? [{ keyword, value }] : []
  })

function* placeProblems(root: JsonObject, schema: JsonObject, path: Place['path']): Generator<FieldProblem> {
  const at = pointerOf(path)
  for (const { keyword, value } of referencesOf(schema)) {
    const wrong = referenceProblem(root, value)
    if (wrong !== undefined) yield problem(`${at}/${keyword}`, wrong)
  }
  if (path.length > 0 && typeof field(schema, '$id') === 'string') {
    yield problem(`${at}/$id`, 'nested $id is not possible; refer to it with a pointer such as #/$defs/port')
  }
  const { pattern, patternProperties, enum: listed } = schema
  if (typeof pattern === 'string') yield* patternProblems(pattern, `${at}/pattern`)
  if (isJsonObject(patternProperties)) {
    for (const one of Object.keys(patternProperties)) {
      yield* patternProblems(one, at + pointerOf(['patternProperties', one]))
    }
  }
  if (isJsonArray(listed) && listed.length === 0)
    yield problem(`${at}/enum`, 'must list a value: nothing fits an empty one')
}

function patternProblems(pattern: string, at: string): FieldProblem[] {
  if (pattern.length > LIMITS.patternLength) {
    return [problem(at, `must have at most ${LIMITS.patternLength} characters`)]
  }
  try {
    linearPattern(pattern)
    return []
  } catch (error) {
    return [problem(at, `cannot be used: ${messageOf(error)}; look-around and back-references are not possible`)]
  }
}

function referenceProblem(schema: JsonObject, ref: string): string | undefined {
  if (!ref.startsWith('#')) return 'must point into the schema itself, such as #/$defs/port'
  if (pointerIn(ref) === undefined) return `is ${ref}, which is not a pointer: a % is written %25`
  return targets(schema, ref).length === 0 ? `points to ${ref}, which does not exist` : undefined
}

/** What values may not contain, checked before anything walks through them. Pointers begin with `prefix`. */
export function valuesProblems(values: Json, prefix: string): FieldProblem[] {
  const limits = sizeProblems(values, { bytes: LIMITS.valuesBytes, depth: LIMITS.valuesDepth })
  const problems: FieldProblem[] = [...limits]
  if (limits.length === 0) visit(values, [], problems)
  return problems.map(({ field: at, message }) => ({ field: prefix + at, message }))
}

/**
 * Whether it is small enough for everything else that looks at it. Without recursion, and it ends at the first excess: the
 * text of a request can be all brackets.
 */
function sizeProblems(value: Json, most: { readonly bytes: number; readonly depth: number }): FieldProblem[] {
  let bytes = 0
  const left: { readonly value: Json; readonly path: Path | undefined; readonly depth: number }[] = [
    { value, path: undefined, depth: 0 },
  ]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { value: one, path, depth } = next
    if (depth > most.depth) return [problem(pointerTo(path), `is nested deeper than ${most.depth} levels`)]
    bytes += typeof one === 'string' ? one.length + 2 : 2
    if (isJsonArray(one)) {
      if (one.length > LIMITS.arrayItems) {
        return [problem(pointerTo(path), `has ${one.length} items; at most ${LIMITS.arrayItems} are possible`)]
      }
      for (const [key, item] of one.entries()) left.push({ value: item, path: { under: path, key }, depth: depth + 1 })
    } else if (isJsonObject(one)) {
      for (const [key, item] of Object.entries(one)) {
        bytes += key.length + 3
        left.push({ value: item, path: { under: path, key }, depth: depth + 1 })
      }
    }
    if (bytes > most.bytes) return [problem('', `has more than ${most.bytes} bytes`)]
  }
  return []
}

interface Path {
  readonly under: Path | undefined
  readonly key: string | number
}

function pointerTo(path: Path | undefined): string {
  const keys: (string | number)[] = []
  for (let at = path; at !== undefined; at = at.under) keys.unshift(at.key)
  return pointerOf(keys)
}

/** Names and texts that no row can hold. */
function visit(value: Json, path: readonly (string | number)[], problems: FieldProblem[]): void {
  if (isJsonArray(value)) {
    return value.forEach((item, index) => visit(item, [...path, index], problems))
  }
  if (typeof value === 'string' && !isStorable(value)) problems.push(problem(pointerOf(path), UNSTORABLE))
  if (!isJsonObject(value)) return
  for (const [key, inner] of Object.entries(value)) {
    if (key === FORBIDDEN_KEY || !isStorable(key))
      problems.push(problem(pointerOf([...path, key]), 'is not a possible name'))
    else visit(inner, [...path, key], problems)
  }
}

const problem = (at: string, message: string): FieldProblem => ({ field: at, message })
