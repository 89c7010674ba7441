import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { parseAllDocuments } from 'yaml'
import { nearest, type RefusedField } from '../../../kernel/index.ts'
import { OPackage } from './schema.ts'

export type Parsed =
  | { readonly package: OPackage; readonly problems?: undefined }
  | { readonly problems: readonly RefusedField[]; readonly package?: undefined }

/** A package from its YAML, or from what that says, with every field known and of its type. */
export function parsePackage(source: unknown): Parsed {
  const read = typeof source === 'string' ? fromYaml(source) : { value: source }
  if (read.problems !== undefined) return read
  const check = (checker ??= Compile(closed(OPackage)))
  if (check.Check(read.value)) return { package: read.value as OPackage }
  return { problems: refusedFields(check.Errors(read.value)) }
}

let checker: ReturnType<typeof Compile> | undefined

type Yaml =
  | { readonly value: unknown; readonly problems?: undefined }
  | { readonly problems: readonly RefusedField[]; readonly value?: undefined }

function fromYaml(text: string): Yaml {
  const documents = parseAllDocuments(text)
  if (documents.length !== 1 || !('0' in documents)) {
    const message = documents.length === 0 ? 'is empty; write a package' : 'holds several documents; send one at a time'
    return { problems: [{ field: 'package', message }] }
  }
  const [document] = documents
  // The lines after the first show the text itself.
  const wrong = document.errors.map(({ message }) => `is not YAML: ${message.split(':\n')[0] ?? ''}`)
  if (wrong.length > 0) return { problems: wrong.map((message) => ({ field: 'package', message })) }
  return { value: document.toJS({ maxAliasCount: 100 }) as unknown }
}

/** The same schema that knows all fields there can be: a mistyped one would otherwise be ignored without a word. */
function closed(schema: TSchema): TSchema {
  const walk = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(walk)
    if (typeof node !== 'object' || node === null) return node
    const copy = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, walk(value)]))
    return copy['type'] === 'object' && 'properties' in copy ? { ...copy, additionalProperties: false } : copy
  }
  return walk(schema) as TSchema
}

interface SchemaError {
  readonly keyword: string
  readonly schemaPath: string
  readonly instancePath: string
  readonly params: object
  readonly message: string
}

/** Follows from another error that is told. */
const SUMMARIES: ReadonlySet<string> = new Set(['boolean', 'anyOf', 'patternProperties'])

function refusedFields(errors: readonly SchemaError[]): RefusedField[] {
  return errors.filter(({ keyword }) => !SUMMARIES.has(keyword)).flatMap(explain)
}

function explain({ keyword, schemaPath, instancePath, params, message }: SchemaError): RefusedField[] {
  const at = fieldAt(instancePath)
  const inside = (name: string): string => (at === '' ? name : `${at}.${name}`)
  const detail = params as Readonly<Record<string, readonly string[] | number>>
  const listed = (name: string): readonly string[] => detail[name] as readonly string[]
  switch (keyword) {
    case 'required':
      return listed('requiredProperties').map((name) => ({ field: inside(name), message: 'is required' }))
    case 'additionalProperties':
      return listed('additionalProperties').map((name) => ({
        field: inside(name),
        message: unknownField(name, knownAt(schemaPath)),
      }))
    case 'enum':
      return [{ field: at, message: `must be one of ${listed('allowedValues').join(', ')}` }]
    case 'maximum':
      return [{ field: at, message: `must be at most ${String(detail['limit'])}${ofOne(at)}` }]
    case 'minLength':
      return [{ field: at, message: 'must not be empty' }]
    default:
      return [{ field: at === '' ? 'package' : at, message }]
  }
}

const ofOne = (field: string): string =>
  field.endsWith('.availability') ? ', a part of 1: write 0.999 for 99.9 %' : ''

function unknownField(name: string, known: readonly string[]): string {
  const meant = nearest(name, known)
  return `is not a known field; ${meant === undefined ? `known are: ${known.join(', ')}` : `did you mean ${meant}?`}`
}

/** The names that the schema has at a place such as `#/properties/classes/items`. */
function knownAt(schemaPath: string): string[] {
  const steps = schemaPath.split('/').slice(1)
  const node = steps.reduce<unknown>((at, step) => (at as Readonly<Record<string, unknown>>)[step], OPackage)
  return Object.keys((node as { readonly properties?: object }).properties ?? {})
}

/** `/classes/0/key` → `classes[0].key` */
const fieldAt = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path === '' ? part : `${path}.${part}`), '')
