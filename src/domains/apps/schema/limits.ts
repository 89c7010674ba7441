import { isStorable, UNSTORABLE } from '../../../store/index.ts'
import { field, isJsonArray, isJsonObject, pointerOf, readAt, type Json, type JsonObject } from '../values/json.ts'
import { REFERENCE_KEYWORDS, target } from './walk.ts'
import type { FieldProblem } from '../types.ts'

/** Generous for people, hopeless for an attack: validation time grows with all of these. */
export const LIMITS = {
  schemaBytes: 262_144,
  schemaDepth: 40,
  /** Subschemas with every reference written out: what references that fan out would cost at each validation. */
  expandedSchemas: 20_000,
  valuesBytes: 262_144,
  valuesDepth: 20,
  /** Comparing every pair for `uniqueItems` is the most that one array can cost. */
  arrayItems: 1_000,
  patternLength: 1_000,
} as const

const FORBIDDEN_KEY = '__proto__'

/** What a schema may not contain, whatever its dialect says. */
export function schemaProblems(schema: JsonObject): FieldProblem[] {
  const size = JSON.stringify(schema).length
  if (size > LIMITS.schemaBytes) return [problem('', `is ${size} bytes; at most ${LIMITS.schemaBytes} are possible`)]
  const problems: FieldProblem[] = []
  visit(schema, [], LIMITS.schemaDepth, problems, (object, path) => {
    const at = pointerOf(path)
    for (const keyword of REFERENCE_KEYWORDS) {
      const ref = field(object, keyword)
      if (typeof ref === 'string') problems.push(...referenceProblems(schema, ref, `${at}/${keyword}`))
    }
    if (path.length > 0 && typeof field(object, '$id') === 'string' && isSchemaPlace(path)) {
      problems.push(problem(`${at}/$id`, 'nested $id is not possible; refer to it with a pointer such as #/$defs/port'))
    }
    const pattern = field(object, 'pattern')
    if (typeof pattern === 'string' && pattern.length > LIMITS.patternLength) {
      problems.push(problem(`${at}/pattern`, `must have at most ${LIMITS.patternLength} characters`))
    }
  })
  if (problems.length > 0) return problems
  return expandedSize(schema) > LIMITS.expandedSchemas
    ? [problem('', `has more than ${LIMITS.expandedSchemas} subschemas once its references are followed`)]
    : []
}

/** A reference back to where it came from counts once: how often it is followed depends on the values, which are bounded. */
function expandedSize(root: JsonObject): number {
  const sizes = new Map<string, number>()
  const sizeOf = (schema: Json): number => {
    const inner = isJsonArray(schema) ? schema : isJsonObject(schema) ? Object.values(schema) : []
    const own = inner.reduce<number>((sum, one) => sum + sizeOf(one), isJsonObject(schema) ? 1 : 0)
    if (!isJsonObject(schema)) return own
    return REFERENCE_KEYWORDS.reduce((sum, keyword) => sum + referredSize(field(schema, keyword)), own)
  }
  const referredSize = (ref: Json | undefined): number => {
    if (typeof ref !== 'string') return 0
    const known = sizes.get(ref)
    if (known !== undefined) return known
    sizes.set(ref, 1)
    const size = sizeOf(target(root, ref) ?? true)
    sizes.set(ref, size)
    return size
  }
  return sizeOf(root)
}

/** A property may be called `$id`; then the key stands for a name and not for the keyword. */
const isSchemaPlace = (path: readonly (string | number)[]): boolean => path.at(-1) !== 'properties'

function referenceProblems(schema: JsonObject, ref: string, at: string): FieldProblem[] {
  if (!ref.startsWith('#')) return [problem(at, 'must point into the schema itself, such as #/$defs/port')]
  if (!ref.startsWith('#/')) return []
  return readAt(schema, decodeURIComponent(ref.slice(1))) === undefined
    ? [problem(at, `points to ${ref}, which does not exist`)]
    : []
}

/** What values may not contain, checked before a validator sees them. Pointers begin with `prefix`. */
export function valuesProblems(values: Json, prefix: string): FieldProblem[] {
  const size = JSON.stringify(values).length
  if (size > LIMITS.valuesBytes)
    return [problem(prefix, `is ${size} bytes; at most ${LIMITS.valuesBytes} are possible`)]
  const problems: FieldProblem[] = []
  visit(values, [], LIMITS.valuesDepth, problems)
  return problems.map(({ field: at, message }) => ({ field: prefix + at, message }))
}

function visit(
  value: Json,
  path: readonly (string | number)[],
  depth: number,
  problems: FieldProblem[],
  look: (object: JsonObject, path: readonly (string | number)[]) => void = () => {},
): void {
  if (path.length > depth) return void problems.push(problem(pointerOf(path), `is nested deeper than ${depth} levels`))
  if (isJsonArray(value)) {
    if (value.length > LIMITS.arrayItems) {
      return void problems.push(
        problem(pointerOf(path), `has ${value.length} items; at most ${LIMITS.arrayItems} are possible`),
      )
    }
    return value.forEach((item, index) => visit(item, [...path, index], depth, problems, look))
  }
  if (typeof value === 'string' && !isStorable(value)) problems.push(problem(pointerOf(path), UNSTORABLE))
  if (!isJsonObject(value)) return
  look(value, path)
  for (const [key, inner] of Object.entries(value)) {
    if (key === FORBIDDEN_KEY || !isStorable(key))
      problems.push(problem(pointerOf([...path, key]), 'is not a possible name'))
    else visit(inner, [...path, key], depth, problems, look)
  }
}

const problem = (at: string, message: string): FieldProblem => ({ field: at, message })
