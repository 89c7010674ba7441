import type { FieldProblem } from './failure.ts'
import { clone, isObject, type Json, listAt, objectAt } from './json.ts'

/** The object as the server stores it: unknown fields pruned, defaults set. Returns `value` itself if nothing changes. */
export function conform(value: unknown, schema: Json): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => conform(item, objectAt(schema, 'items')))
    return items.every((item, index) => item === value[index]) ? value : items
  }
  if (!isObject(value)) return value
  const properties = objectAt(schema, 'properties')
  const rest = schema['additionalProperties']
  const keepsUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true || rest === true
  const kept: Json = {}
  let isSame = true
  for (const name in value) {
    const below = value[name]
    const property = properties[name]
    if (isObject(property)) {
      if (below !== null || property['nullable'] === true) kept[name] = conform(below, property)
    } else if (isObject(rest)) kept[name] = conform(below, rest)
    else if (keepsUnknown) kept[name] = below
    isSame &&= name in kept && kept[name] === below
  }
  for (const name in properties) {
    const property = properties[name]
    if (isObject(property) && kept[name] === undefined && 'default' in property) {
      kept[name] = conform(clone(property['default']), property)
      isSame = false
    }
  }
  return isSame ? value : kept
}

/** The violations of a schema. Only the most used rules; CEL is not evaluated. */
export function problemsOf(value: unknown, schema: Json, path: string): FieldProblem[] {
  const invalid = (why: string): FieldProblem => ({
    reason: 'FieldValueInvalid',
    field: path,
    message: `Invalid value: ${JSON.stringify(value)}: ${path} in body ${why}`,
  })
  const type = schema['type']
  if (typeof type === 'string' && schema['x-kubernetes-int-or-string'] !== true && !hasType(value, type)) {
    return [
      {
        reason: 'FieldValueTypeInvalid',
        field: path,
        message: `Invalid value: "${typeName(value)}": ${path} in body must be of type ${type}: "${typeName(value)}"`,
      },
    ]
  }
  if (Array.isArray(value)) {
    const items = objectAt(schema, 'items')
    return [
      ...sizeProblems(value.length, schema, 'Items', 'items').map(invalid),
      ...value.flatMap((item, index) => problemsOf(item, items, `${path}[${index}]`)),
    ]
  }
  if (isObject(value)) return objectProblems(value, schema, path)
  const allowed = schema['enum']
  if (Array.isArray(allowed) && !allowed.includes(value)) {
    const listed = allowed.map((one) => JSON.stringify(one)).join(', ')
    return [
      {
        reason: 'FieldValueNotSupported',
        field: path,
        message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${listed}`,
      },
    ]
  }
  return scalarProblems(value, schema).map(invalid)
}

function objectProblems(value: Json, schema: Json, path: string): FieldProblem[] {
  const properties = objectAt(schema, 'properties')
  const rest = schema['additionalProperties']
  const inner = (name: string): string => (path === '' ? name : `${path}.${name}`)
  const missing = listAt(schema, 'required')
    .map(String)
    .filter((name) => value[name] === undefined)
    .map((name) => ({ reason: 'FieldValueRequired', field: inner(name), message: 'Required value' }))
  const below = Object.entries(value).flatMap(([name, item]) => {
    const property = properties[name] ?? rest
    return isObject(property) && item !== null ? problemsOf(item, property, inner(name)) : []
  })
  return [...missing, ...below]
}

function scalarProblems(value: unknown, schema: Json): string[] {
  if (typeof value === 'string') {
    const { pattern } = schema
    return [
      ...sizeProblems(value.length, schema, 'Length', 'chars long'),
      ...(typeof pattern === 'string' && !expressionOf(pattern).test(value) ? [`should match '${pattern}'`] : []),
    ]
  }
  if (typeof value !== 'number') return []
  const { minimum, maximum } = schema
  return [
    ...(typeof minimum === 'number' && value < minimum ? [`should be greater than or equal to ${minimum}`] : []),
    ...(typeof maximum === 'number' && value > maximum ? [`should be less than or equal to ${maximum}`] : []),
  ]
}

const expressions = new Map<string, RegExp>()

function expressionOf(pattern: string): RegExp {
  const expression = expressions.get(pattern) ?? new RegExp(pattern)
  expressions.set(pattern, expression)
  return expression
}

function sizeProblems(size: number, schema: Json, word: 'Items' | 'Length', unit: string): string[] {
  const [least, most] = [schema[`min${word}`], schema[`max${word}`]]
  return [
    ...(typeof least === 'number' && size < least ? [`should be at least ${least} ${unit}`] : []),
    ...(typeof most === 'number' && size > most ? [`should be at most ${most} ${unit}`] : []),
  ]
}

const typeName = (value: unknown): string =>
  Array.isArray(value) ? 'array' : value === null ? 'null' : Number.isInteger(value) ? 'integer' : typeof value

function hasType(value: unknown, type: string): boolean {
  const is = typeName(value)
  return is === type || (type === 'number' && is === 'integer')
}
