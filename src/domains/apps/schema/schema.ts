import { createHash } from 'node:crypto'
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { fastFormats } from 'ajv-formats/dist/formats.js'
import { RE2JS } from 're2js'
import { messageOf } from '../../../kernel/index.ts'
import { changeAt, isJsonObject, pointerOf, type JsonObject } from '../values/json.ts'
import { schemaProblems, valuesProblems } from './limits.ts'
import { placeOf, problemsOf } from './messages.ts'
import { isReadOnly, pointersWhere, userSchemaOf } from './walk.ts'
import type { FieldProblem } from '../types.ts'
import { deepMerge, RESERVED_POINTERS, userDefaults } from '../values/values.ts'

/** The dialects that charts are written in. Without `$schema` it is the newest, as Helm has it. */
const DIALECTS = {
  'http://json-schema.org/draft-07/schema': Ajv,
  'https://json-schema.org/draft/2019-09/schema': Ajv2019,
  'https://json-schema.org/draft/2020-12/schema': Ajv2020,
} as const
type Dialect = keyof typeof DIALECTS
const NEWEST: Dialect = 'https://json-schema.org/draft/2020-12/schema'

/** Linear in the text, whatever the pattern; also the dialect that Helm itself, being written in Go, understands. */
const linearPattern = Object.assign((pattern: string) => RE2JS.compile(RE2JS.translateRegExp(pattern)), {
  code: 'linearPattern',
})

const OPTIONS: Options = {
  strict: false,
  allErrors: true,
  verbose: true,
  logger: false,
  meta: false,
  validateSchema: false,
  formats: fastFormats,
  code: { regExp: linearPattern },
}

/** Checks schemas against the rules of their dialect; made once, because the meta-schemas are large. */
const judges = new Map<Dialect, Ajv>()

interface Compiled {
  readonly full: ValidateFunction
  readonly user: ValidateFunction | undefined
}

const CACHED = 200
const cache = new Map<string, Compiled>()

function dialectOf(schema: JsonObject): Dialect | undefined {
  const { $schema = NEWEST } = schema
  const name = typeof $schema === 'string' ? $schema.replace(/#$/, '') : ''
  return Object.hasOwn(DIALECTS, name) ? (name as Dialect) : undefined
}

/** Everything that is wrong with an admin's schema, told at publication and not at the first order. */
export function checkSchema(schema: JsonObject): FieldProblem[] {
  const dialect = dialectOf(schema)
  if (dialect === undefined) {
    return [{ field: '/$schema', message: `must be one of ${Object.keys(DIALECTS).join(', ')}` }]
  }
  const problems = schemaProblems(schema)
  if (problems.length > 0) return problems
  const judge = judgeOf(dialect)
  if (judge.validateSchema(schema) !== true) return problemsOf(judge.errors ?? [], '')
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
  const judge = new DIALECTS[dialect]({ ...OPTIONS, meta: true, validateSchema: true, code: {} })
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
  const ajv = new DIALECTS[dialect](OPTIONS)
  const { $id: _id, $schema: _dialect, ...body } = schema
  const full = ajv.addSchema(body, 'values').getSchema('values')
  if (full === undefined) throw new Error('failed to compile the schema')
  const user = userSchemaOf(schema) === undefined ? undefined : ajv.compile({ $ref: 'values#/properties/user' })
  const compiled = { full, user }
  cache.set(key, compiled)
  for (const oldest of cache.keys()) {
    if (cache.size <= CACHED) break
    cache.delete(oldest)
  }
  return compiled
}

const errorsOf = (validate: ValidateFunction, values: JsonObject): readonly ErrorObject[] => {
  try {
    return validate(values) ? [] : (validate.errors ?? [])
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const message = 'refers to itself without end'
    return [{ instancePath: '', schemaPath: '', keyword: 'recursion', params: {}, message }]
  } finally {
    validate.errors = null
  }
}

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
export function checkMergedValues(valuesSchema: JsonObject | null, merged: JsonObject): FieldProblem[] {
  if (valuesSchema === null) return []
  const { full } = compiledOf(valuesSchema)
  const errors = errorsOf(full, merged)
  const refused = errors.filter(isUnknownField).map(placeOf).filter(isReserved)
  if (refused.length === 0) return problemsOf(errors, '')
  const without = changeAt(merged, refused, () => undefined)
  return problemsOf(isJsonObject(without) ? errorsOf(full, without) : errors, '')
}

const isUnknownField = ({ keyword }: ErrorObject): boolean =>
  keyword === 'additionalProperties' || keyword === 'unevaluatedProperties' || keyword === 'propertyNames'

const isReserved = (pointer: string): boolean => (RESERVED_POINTERS as readonly string[]).includes(pointer)
