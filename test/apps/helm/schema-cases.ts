import type { Json, JsonObject } from '../../../src/domains/apps/index.ts'

const DRAFT_4 = 'http://json-schema.org/draft-04/schema#'
const DRAFT_7 = 'http://json-schema.org/draft-07/schema#'

export interface SchemaCase {
  readonly name: string
  /** Of the value called `a`; definitions and `$schema` are those of the whole. */
  readonly about: JsonObject
  readonly value: Json
  readonly isValid: boolean
}

const spelling = ($schema: string, areFormatsAsserted: boolean): SchemaCase[] => [
  { name: `${$schema} is known`, about: { $schema, type: 'string' }, value: 5, isValid: false },
  { name: `formats in ${$schema}`, about: { $schema, format: 'email' }, value: 'nobody', isValid: !areFormatsAsserted },
]

/** What the pinned Helm and our validator both say. */
export const SCHEMA_CASES: readonly SchemaCase[] = [
  ...spelling('http://json-schema.org/schema#', false),
  ...spelling('https://json-schema.org/schema', false),
  ...spelling('https://json-schema.org/draft/2020-12/schema', false),
  ...spelling('http://json-schema.org/draft/2020-12/schema#', false),
  ...spelling('https://json-schema.org/draft/2019-09/schema', false),
  ...spelling('http://json-schema.org/draft-07/schema', true),
  ...spelling('https://json-schema.org/draft-07/schema#', true),
  ...spelling('http://json-schema.org/draft-07/schema#/x', true),
  ...spelling('http://json-schema.org/draft-06/schema#', true),
  ...spelling('http://json-schema.org/draft-04/schema#', true),
  {
    name: 'a limit of draft 4 that excludes itself',
    about: { $schema: DRAFT_4, maximum: 5, exclusiveMaximum: true },
    value: 5,
    isValid: false,
  },
  {
    name: 'a limit of draft 4 that includes itself',
    about: { $schema: DRAFT_4, maximum: 5, exclusiveMaximum: false },
    value: 5,
    isValid: true,
  },
  { name: 'a keyword that draft 4 does not know', about: { $schema: DRAFT_4, const: 1 }, value: 2, isValid: true },
  {
    name: 'a keyword that draft 6 does not know',
    about: { $schema: 'http://json-schema.org/draft-06/schema#', if: true, then: false },
    value: 2,
    isValid: true,
  },
  {
    name: 'what stands beside a $ref in draft 7',
    about: { $schema: DRAFT_7, definitions: { n: { type: 'integer' } }, $ref: '#/definitions/n', maximum: 3 },
    value: 5,
    isValid: true,
  },
  {
    name: 'what stands beside a $ref since 2019-09',
    about: { $defs: { n: { type: 'integer' } }, $ref: '#/$defs/n', maximum: 3 },
    value: 5,
    isValid: false,
  },
  {
    name: 'required fields that every object inherits',
    about: { required: ['toString', 'constructor'] },
    value: {},
    isValid: false,
  },
  {
    name: 'a required field of such a name',
    about: { required: ['constructor'] },
    value: { constructor: 1 },
    isValid: true,
  },
  { name: 'a day that is none', about: { $schema: DRAFT_7, format: 'date' }, value: '2023-02-30', isValid: false },
  { name: 'a day', about: { $schema: DRAFT_7, format: 'date' }, value: '2024-02-29', isValid: true },
  {
    name: 'a time without seconds',
    about: { $schema: DRAFT_7, format: 'date-time' },
    value: '2024-02-29T10:00Z',
    isValid: false,
  },
  { name: 'an empty host', about: { $schema: DRAFT_7, format: 'hostname' }, value: '', isValid: false },
  { name: 'a relative reference', about: { $schema: DRAFT_7, format: 'uri' }, value: '/a', isValid: false },
  {
    name: 'references among data',
    about: { enum: [{ $ref: '#/nowhere', $id: 'x' }], default: { $ref: '#/nowhere' } },
    value: { $ref: '#/nowhere', $id: 'x' },
    isValid: true,
  },
]

/** The whole schema of a case. */
export function schemaOf({ about }: SchemaCase): JsonObject {
  const { $schema, definitions, $defs, ...rest } = about
  return {
    ...($schema && { $schema }),
    ...(definitions && { definitions }),
    ...($defs && { $defs }),
    properties: { a: rest },
  }
}
