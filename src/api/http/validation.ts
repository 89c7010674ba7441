import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Settings } from 'typebox/system'
import { Value } from 'typebox/value'
import { PATTERN_WORDS, type Problem } from '../contract/index.ts'

export type FieldErrors = NonNullable<Problem['errors']>

/** A request that does not fit its schema, with every field that is to blame. */
export class ValidationError extends Error {
  override readonly name = 'ValidationError'
  readonly fields: FieldErrors

  constructor(fields: FieldErrors) {
    super(fields.map(({ field, message }) => `${field} ${message}`).join('; '))
    this.fields = fields
  }
}

// The default of eight would hide the rest of a long form.
Settings.Set({ maxErrors: 100 })

/** Text becomes numbers and booleans where it can only be text (path, query, headers); a body is taken as it was sent. */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const check = Compile(schema)
  return (sent: unknown) => {
    const value = httpPart === 'body' ? sent : Value.Convert(schema, sent)
    return check.Check(value) ? { value } : { error: new ValidationError(fieldErrors(check.Errors(value))) }
  }
}

interface SchemaError {
  readonly keyword: string
  readonly instancePath: string
  readonly params: object
  readonly message: string
}

/** Follows from other errors of the same field, which say more. */
const SUMMARIES = new Set(['anyOf', 'allOf', 'oneOf', 'boolean', '~guard'])

/** One message per field: the first that says something. */
export function fieldErrors(errors: readonly SchemaError[]): FieldErrors {
  const telling = errors.filter(({ keyword }) => !SUMMARIES.has(keyword))
  const all = telling.filter((error) => !isNullBeside(error, telling)).flatMap(explain)
  const found = new Map<string, string>()
  for (const { field, message } of all) if (!found.has(field)) found.set(field, message)
  return [...found].map(([field, message]) => ({ field, message }))
}

/** Of a value that may be null and is not: what is wrong with the value says more than that null would do. */
const isNullBeside = (error: SchemaError, all: readonly SchemaError[]): boolean =>
  wantsNull(error) &&
  all.some((other) => !wantsNull(other) && `${other.instancePath}/`.startsWith(`${error.instancePath}/`))

const wantsNull = ({ keyword, params }: SchemaError): boolean =>
  keyword === 'type' && (params as { readonly type?: unknown }).type === 'null'

function explain({ keyword, instancePath, params, message }: SchemaError): FieldErrors {
  const at = fieldName(instancePath)
  const inside = (name: string): string => (at === '(whole)' ? name : `${at}.${name}`)
  const detail = params as Record<string, unknown>
  switch (keyword) {
    case 'required':
      return (detail['requiredProperties'] as string[]).map((name) => ({ field: inside(name), message: 'is required' }))
    case 'additionalProperties':
      return (detail['additionalProperties'] as string[]).map((name) => ({
        field: inside(name),
        message: 'is not a known field',
      }))
    case 'enum':
      return [{ field: at, message: `must be one of ${(detail['allowedValues'] as unknown[]).join(', ')}` }]
    case 'pattern':
      return [{ field: at, message: PATTERN_WORDS[String(detail['pattern'])] ?? message }]
    default:
      return [{ field: at, message }]
  }
}

/** `/items/0/name` → `items[0].name` */
function fieldName(pointer: string): string {
  const parts = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  const name = parts.reduce(
    (path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path === '' ? part : `${path}.${part}`),
    '',
  )
  return name || '(whole)'
}
