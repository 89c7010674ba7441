import { createHash } from 'node:crypto'
import { Ajv, type ErrorObject, type Format, type Options, type ValidateFunction } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import { messageOf } from '../../../kernel/index.ts'
import { changeAt, isJsonObject, pointerOf, readAt, type Json, type JsonObject } from '../values/json.ts'
import { costOf } from './cost.ts'
import { dialectOf, isOld, KNOWN_DIALECTS, prepared, type Dialect } from './dialect.ts'
import { LIMITS, schemaProblems, valuesProblems } from './limits.ts'
import { linearPattern } from './linear-pattern.ts'
import { placeOf, problemsOf } from './messages.ts'
import { isReadOnly, pointersWhere, userSchemaOf } from './walk.ts'
import type { FieldProblem } from '../types.ts'
import { deepMerge, userDefaults, USUALLY_RESERVED } from '../values/values.ts'

/** Prepared, older dialects are subsets of draft 7. */
const VALIDATORS = {
  'draft-04': Ajv,
  'draft-06': Ajv,
  'draft-07': Ajv,
  'draft/2019-09': Ajv2019,
  'draft/2020-12': Ajv2020,
} as const satisfies Record<Dialect, unknown>

/** Nothing of these formats is so long, and their patterns are not all linear. */
const LONGEST_FORMATTED = 2_048

/** Exact: 30 February is no date. */
const FORMATS: Options['formats'] = Object.fromEntries(
  Object.entries(fullFormats).map(([name, format]) => [name, bounded(format)]),
)

function bounded(format: Format): Format {
  if (typeof format === 'boolean') return format
  const fits = validates(format)
  return fits === undefined
    ? format
    : { type: 'string', validate: (text: string) => text.length <= LONGEST_FORMATTED && fits(text) }
}

/** `undefined`: it is about numbers. */
function validates(format: Exclude<Format, boolean>): ((text: string) => boolean) | undefined {
  if (format instanceof RegExp) return (text) => format.test(text)
  if (typeof format === 'string') return (text) => new RegExp(format).test(text)
  if (typeof format === 'function') return format
  if (format.type === 'number' || format.async === true) return undefined
  return validates(format.validate as Exclude<Format, boolean>)
}

const OPTIONS: Options = {
  strict: false,
  allErrors: true,
  verbose: true,
  logger: false,
  meta: false,
  validateSchema: false,
  formats: FORMATS,
  // A field called `constructor` is missing unless the values have it.
  ownProperties: true,
  code: { regExp: linearPattern },
}

/** Checks schemas against the rules of their dialect; made once, because the meta-schemas are large. */
const judges = new Map<Dialect, Ajv>()

interface Validator {
  readonly validate: ValidateFunction
  /** What it was made of, and where in it. */
  readonly root: JsonObject
  readonly schema: Json
}

interface Compiled {
  readonly full: Validator
  readonly user: Validator | undefined
}

const CACHED = 200
const cache = new Map<string, Compiled>()

/** Everything that is wrong with an admin's schema, told at publication and not at the first order. */
export function checkSchema(schema: JsonObject): FieldProblem[] {
  const dialect = dialectOf(schema)
  if (dialect === undefined) {
    return [{ field: '/$schema', message: `must be one of ${KNOWN_DIALECTS.join(', ')}` }]
  }
  const problems = schemaProblems(schema)
  if (problems.length > 0) return problems
  const judge = judgeOf(dialect)
  const { $schema: _dialect, ...body } = dialect === 'draft-04' ? prepared(schema, dialect) : schema
  if (judge.validateSchema(body) !== true) return problemsOf(judge.errors ?? [], '')
  try {
    compile(schema, dialect)
    return []
  } catch (error) {
    return [{ field: '', message: `cannot be used: ${messageOf(error)}` }]
  }
}

function judgeOf(dialect: Dialect): Ajv {
  const known = judges.get(dialect)
  if (known !== undefined) return known
  const judge = new VALIDATORS[dialect]({
    ...OPTIONS,
    meta: true,
    validateSchema: true,
    code: {},
    ownProperties: false,
  })
  judges.set(dialect, judge)
  return judge
}

/** A validator of its own per schema, so that dropping it from the cache drops everything. */
function compile(schema: JsonObject, dialect: Dialect): Compiled {
  const key = createHash('sha256').update(JSON.stringify(schema)).digest('base64')
  const known = cache.get(key)
  if (known !== undefined) {
    cache.delete(key)
    cache.set(key, known)
    return known
  }
  // Formats are no more than a remark since 2019-09, and to Helm.
  const ajv = new VALIDATORS[dialect]({ ...OPTIONS, validateFormats: isOld(dialect) })
  const { $id: _id, $schema: _dialect, id: _old, ...root } = prepared(schema, dialect)
  const full = ajv.addSchema(root, 'values').getSchema('values')
  if (full === undefined) throw new Error('failed to compile the schema')
  const user = userSchemaOf(schema) === undefined ? undefined : ajv.compile({ $ref: 'values#/properties/user' })
  const compiled = {
    full: { validate: full, root, schema: root },
    user: user && { validate: user, root, schema: readAt(root, '/properties/user') ?? true },
  }
  cache.set(key, compiled)
  for (const oldest of cache.keys()) {
    if (cache.size <= CACHED) break
    cache.delete(oldest)
  }
  return compiled
}

const errorsOf = ({ validate, root, schema }: Validator, values: JsonObject): readonly ErrorObject[] => {
  const cost = costOf(root, schema, values, LIMITS.evaluations)
  if (cost.is === 'endless') return [asError('refers to itself without end')]
  if (cost.is === 'too much') return [asError('takes too long to check; nest fewer objects and lists in each other')]
  try {
    return validate(values) ? [] : (validate.errors ?? [])
  } finally {
    validate.errors = null
  }
}

const asError = (message: string): ErrorObject => ({
  instancePath: '',
  schemaPath: '',
  keyword: 'cost',
  params: {},
  message,
})

interface TemplateValues {
  readonly defaultValues: JsonObject
  readonly valuesSchema: JsonObject | null
}

const compiledOf = (schema: JsonObject): Compiled => {
  const dialect = dialectOf(schema)
  if (dialect === undefined) throw new Error('failed to validate: the schema has no supported dialect')
  return compile(schema, dialect)
}

/**
 * The problems of user values. They are checked together with the defaults of the template, so that a required field
 * with a default need not be repeated.
 */
export function checkUserValues(
  { defaultValues, valuesSchema }: TemplateValues,
  userValues: JsonObject,
): FieldProblem[] {
  const limits = valuesProblems(userValues, '/user')
  if (limits.length > 0) return limits
  const userSchema = userSchemaOf(valuesSchema)
  if (valuesSchema === null || userSchema === undefined) {
    return Object.keys(userValues).map((key) => ({
      field: pointerOf(['user', key]),
      message: 'cannot be set: this product takes no settings',
    }))
  }
  const readOnly = pointersWhere(valuesSchema, userSchema, userValues, isReadOnly).map((pointer) => ({
    field: `/user${pointer}`,
    message: 'is set by the platform and cannot be changed',
  }))
  const { user } = compiledOf(valuesSchema)
  if (user === undefined) return readOnly
  return [...readOnly, ...problemsOf(errorsOf(user, deepMerge(userDefaults(defaultValues), userValues)), '/user')]
}

/** The last look before Helm runs. Keys that the system adds fail no `additionalProperties: false`. */
export function checkMergedValues(
  valuesSchema: JsonObject | null,
  merged: JsonObject,
  reserved: ReadonlySet<string> = USUALLY_RESERVED,
): FieldProblem[] {
  if (valuesSchema === null) return []
  const { full } = compiledOf(valuesSchema)
  const errors = errorsOf(full, merged)
  const refused = errors
    .filter(isUnknownField)
    .map(placeOf)
    .filter((pointer) => reserved.has(pointer))
  if (refused.length === 0) return problemsOf(errors, '')
  const without = changeAt(merged, refused, () => undefined)
  return problemsOf(isJsonObject(without) ? errorsOf(full, without) : errors, '')
}

const isUnknownField = ({ keyword }: ErrorObject): boolean =>
  keyword === 'additionalProperties' || keyword === 'unevaluatedProperties' || keyword === 'propertyNames'
