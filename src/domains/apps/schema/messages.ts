import type { ErrorObject } from 'ajv'
import { isJsonObject, pointerOf, textOf, type Json } from '../values/json.ts'
import { isWriteOnly } from './walk.ts'
import type { FieldProblem } from '../types.ts'

type Params = Readonly<Record<string, Json>>

/** Sentences for the keywords that people meet. None of them repeats the value that was refused. */
const SENTENCES: Readonly<Record<string, (params: Params) => string>> = {
  type: ({ type }) => `must be ${named(type)}`,
  minimum: ({ limit }) => `must be at least ${show(limit)}`,
  maximum: ({ limit }) => `must be at most ${show(limit)}`,
  exclusiveMinimum: ({ limit }) => `must be more than ${show(limit)}`,
  exclusiveMaximum: ({ limit }) => `must be less than ${show(limit)}`,
  multipleOf: ({ multipleOf }) => `must be a multiple of ${show(multipleOf)}`,
  minLength: ({ limit }) => (limit === 1 ? 'must not be empty' : `must have at least ${show(limit)} characters`),
  maxLength: ({ limit }) => `must have at most ${show(limit)} characters`,
  minItems: ({ limit }) => `must have at least ${counted(limit, 'item')}`,
  maxItems: ({ limit }) => `must have at most ${counted(limit, 'item')}`,
  minProperties: ({ limit }) => `must have at least ${counted(limit, 'field')}`,
  maxProperties: ({ limit }) => `must have at most ${counted(limit, 'field')}`,
  uniqueItems: ({ i, j }) => `must not repeat an item: items ${show(j)} and ${show(i)} are equal`,
  pattern: ({ pattern }) => `must match the pattern ${show(pattern)}`,
  format: ({ format }) => `must be a valid ${show(format)}`,
  enum: ({ allowedValues }) => `must be one of ${show(allowedValues)}`,
  const: ({ allowedValue }) => `must be ${show(allowedValue)}`,
  required: () => 'is required',
  dependentRequired: ({ property }) => `is required when ${show(property)} is set`,
  dependencies: ({ property }) => `is required when ${show(property)} is set`,
  additionalProperties: () => 'is not a known field',
  unevaluatedProperties: () => 'is not a known field',
  propertyNames: () => 'is not a possible name',
  oneOf: () => 'must fit exactly one of the possible forms',
  anyOf: () => 'must fit one of the possible forms',
  not: () => 'has a form that is not possible here',
  'false schema': () => 'is not possible here',
}

/** These only say that another error, which is listed too, came from a branch. */
const WRAPPERS = new Set(['if', 'then', 'else', '$ref', 'allOf'])

const ECHO_SCHEMA = new Set(['enum', 'const', 'pattern'])

const MOST = 50

/** Every field that was refused, each sentence once, at most fifty of them. */
export function problemsOf(errors: readonly ErrorObject[], prefix: string): FieldProblem[] {
  const found = new Map<string, FieldProblem>()
  for (const error of errors.filter(({ keyword }) => !WRAPPERS.has(keyword))) {
    const problem = { field: prefix + placeOf(error), message: sentenceOf(error) }
    found.set(`${problem.field} ${problem.message}`, problem)
  }
  return [...found.values()].slice(0, MOST)
}

/** An error about a field that is missing, or should be, names that field and not its parent. */
export function placeOf({ instancePath, params }: ErrorObject): string {
  const child = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty ?? params.propertyName
  return typeof child === 'string' ? instancePath + pointerOf([child]) : instancePath
}

function sentenceOf({ keyword, params, message, parentSchema }: ErrorObject): string {
  if (ECHO_SCHEMA.has(keyword) && isJsonObject(parentSchema) && isWriteOnly(parentSchema)) {
    return 'does not have the required form'
  }
  return SENTENCES[keyword]?.(params) ?? message ?? `does not fit ${keyword}`
}

const show = (value: Json | undefined): string =>
  Array.isArray(value) ? value.map((item) => JSON.stringify(item)).join(', ') : textOf(value)

const counted = (limit: Json | undefined, noun: string): string => `${show(limit)} ${noun}${limit === 1 ? '' : 's'}`

const ARTICLES: Readonly<Record<string, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
}

const named = (type: Json | undefined): string =>
  (Array.isArray(type) ? type : [type]).map((one) => ARTICLES[String(one)] ?? String(one)).join(' or ')
