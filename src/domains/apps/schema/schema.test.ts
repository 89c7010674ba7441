import { describe, expect, it } from 'vitest'
import { expectNoSentinel, SENTINEL } from '../../../../test/support/sentinel.ts'
import type { Json, JsonObject } from '../values/json.ts'
import { checkMergedValues, checkSchema, checkUserValues } from './schema.ts'

const DRAFT_7 = 'http://json-schema.org/draft-07/schema#'
const DRAFT_2019 = 'https://json-schema.org/draft/2019-09/schema'
const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema'

/** A template whose user part has these properties. */
const template = (properties: JsonObject, more: JsonObject = {}, user: JsonObject = {}, root: JsonObject = {}) => ({
  defaultValues: { user },
  valuesSchema: {
    type: 'object',
    ...root,
    properties: { user: { type: 'object', additionalProperties: false, properties, ...more } },
  },
})

const problems = (properties: JsonObject, values: JsonObject, more: JsonObject = {}) =>
  checkUserValues(template(properties, more), values)

describe('checkUserValues', () => {
  it.each<[JsonObject, Json, string]>([
    [{ type: 'integer' }, 'three', 'must be a whole number'],
    [{ type: ['string', 'null'] }, 3, 'must be a text or null'],
    [{ type: 'integer', minimum: 1 }, 0, 'must be at least 1'],
    [{ type: 'integer', maximum: 5 }, 6, 'must be at most 5'],
    [{ type: 'number', multipleOf: 0.5 }, 0.7, 'must be a multiple of 0.5'],
    [{ type: 'string', minLength: 1 }, '', 'must not be empty'],
    [{ type: 'string', maxLength: 3 }, 'abcd', 'must have at most 3 characters'],
    [{ enum: ['small', 'large'] }, 'huge', 'must be one of "small", "large"'],
    [{ const: 1 }, 2, 'must be 1'],
    [{ type: 'string', pattern: '^[a-z]+$' }, 'A', 'must match the pattern ^[a-z]+$'],
    [{ type: 'string', format: 'email' }, 'nobody', 'must be a valid email'],
    [{ type: 'array', maxItems: 1 }, [1, 2], 'must have at most 1 item'],
    [{ type: 'array', uniqueItems: true }, [1, 2, 1], 'must not repeat an item: items 0 and 2 are equal'],
    [{ type: 'object', maxProperties: 2 }, { a: 1, b: 2, c: 3 }, 'must have at most 2 fields'],
    [false as unknown as JsonObject, 1, 'is not possible here'],
  ])('judges %j', (schema, value, message) => {
    expect(problems({ size: schema }, { size: value })).toEqual([{ field: '/user/size', message }])
  })

  it('names the very field, also one that is missing or unknown', () => {
    const servers = {
      type: 'array',
      items: {
        type: 'object',
        required: ['host'],
        additionalProperties: false,
        properties: { host: { type: 'string' } },
      },
    }
    expect(problems({ servers }, { servers: [{ host: 'a' }, { 'po/rt': 1 }] })).toEqual([
      { field: '/user/servers/1/host', message: 'is required' },
      { field: '/user/servers/1/po~1rt', message: 'is not a known field' },
    ])
  })

  it('does not ask again for what the template has a default for', () => {
    const one = template({ message: { type: 'string' } }, { required: ['message'] }, { message: 'hi' })
    expect(checkUserValues(one, {})).toEqual([])
    expect(checkUserValues({ ...one, defaultValues: {} }, {})).toEqual([
      { field: '/user/message', message: 'is required' },
    ])
  })

  it.each([null, {}, { properties: {} }, { properties: { user: false } }])(
    'refuses any value under schema %j',
    (valuesSchema) => {
      expect(checkUserValues({ defaultValues: {}, valuesSchema }, {})).toEqual([])
      expect(checkUserValues({ defaultValues: {}, valuesSchema }, { message: 'hi' })).toEqual([
        { field: '/user/message', message: 'cannot be set: this product takes no settings' },
      ])
    },
  )

  it('lets nobody write what is read-only', () => {
    expect(problems({ plan: { type: 'string', readOnly: true } }, { plan: 'gold' })).toEqual([
      { field: '/user/plan', message: 'is set by the platform and cannot be changed' },
    ])
  })

  it('follows definitions of the whole schema', () => {
    const one = template(
      { port: { $ref: '#/$defs/port' } },
      {},
      {},
      { $defs: { port: { type: 'integer', maximum: 65_535 } } },
    )
    expect(checkSchema(one.valuesSchema)).toEqual([])
    expect(checkUserValues(one, { port: 70_000 })).toEqual([{ field: '/user/port', message: 'must be at most 65535' }])
  })

  it.each([DRAFT_7, DRAFT_2019, DRAFT_2020, undefined])('understands conditionals in %s', ($schema) => {
    const more = {
      if: { properties: { tls: { const: true } }, required: ['tls'] },
      then: { required: ['certificate'] },
    }
    const fields = { tls: { type: 'boolean' }, certificate: { type: 'string' } }
    const one = template(fields, more, {}, $schema === undefined ? {} : { $schema })
    expect(checkSchema(one.valuesSchema)).toEqual([])
    expect(checkUserValues(one, { tls: true })).toEqual([{ field: '/user/certificate', message: 'is required' }])
    expect(checkUserValues(one, { tls: false })).toEqual([])
  })

  it('reads tuples as each dialect writes them', () => {
    const tuple = [{ type: 'string' }, { type: 'integer' }]
    const bad = { pair: ['a', 'b'] }
    const expected = [{ field: '/user/pair/1', message: 'must be a whole number' }]
    expect(checkUserValues(template({ pair: { items: tuple } }, {}, {}, { $schema: DRAFT_7 }), bad)).toEqual(expected)
    expect(checkUserValues(template({ pair: { prefixItems: tuple } }, {}, {}, { $schema: DRAFT_2020 }), bad)).toEqual(
      expected,
    )
  })

  it('is not held up by a catastrophic pattern', () => {
    const before = process.cpuUsage()
    expect(problems({ name: { type: 'string', pattern: '^(a+)+$' } }, { name: `${'a'.repeat(50_000)}!` })).toHaveLength(
      1,
    )
    // CPU time: a busy machine makes a test wait, but not work.
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000)
  })

  it.each([
    [{ tags: Array.from({ length: 1_001 }, (_, n) => n) }, '/user/tags', 'has 1001 items; at most 1000 are possible'],
    [JSON.parse('{"a":{"__proto__":{"x":1}}}'), '/user/a/__proto__', 'is not a possible name'],
    [nested(30), `/user${'/a'.repeat(21)}`, 'is nested deeper than 20 levels'],
    [{ text: 'x'.repeat(300_000) }, '/user', 'is 300011 bytes; at most 262144 are possible'],
  ])('bounds what it looks at', (values, field, message) => {
    expect(problems({}, values as JsonObject, { additionalProperties: true })).toEqual([{ field, message }])
  })

  it('repeats no value in any message', () => {
    const secret = { type: 'string', writeOnly: true }
    const fields = {
      a: { ...secret, maxLength: 3 },
      b: { ...secret, enum: ['only-this'] },
      c: { ...secret, const: 'only-that' },
      d: { type: 'string', format: 'password', pattern: '^only$' },
      e: { type: 'integer' },
    }
    const values = Object.fromEntries(Object.keys(fields).map((key) => [key, SENTINEL]))
    const told = problems(fields, values)
    expect(told).toHaveLength(5)
    expectNoSentinel(told)
    expect(JSON.stringify(told)).not.toMatch(/only-this|only-that|\^only/)
  })

  it('says so when a schema has no end', () => {
    const one = template(
      { a: { $ref: '#/$defs/loop' } },
      {},
      {},
      { $defs: { loop: { allOf: [{ $ref: '#/$defs/loop' }] } } },
    )
    expect(checkUserValues(one, { a: 1 })).toEqual([{ field: '/user', message: 'refers to itself without end' }])
  })
})

describe('checkMergedValues', () => {
  const system = { ingress: { host: 'a.example', className: 'nginx' }, caelus: { deploymentId: '1' } }

  it.each(['additionalProperties', 'unevaluatedProperties'])('lets system keys pass %s: false', (keyword) => {
    const schema = {
      [keyword]: false,
      properties: {
        replicas: { type: 'integer' },
        ingress: { [keyword]: false, properties: { enabled: { type: 'boolean' } } },
      },
    }
    const merged = { ...system, ingress: { ...system.ingress, enabled: true }, replicas: 1 }
    expect(checkMergedValues(schema, merged)).toEqual([])
    expect(checkMergedValues(schema, { ...merged, replicas: 'x', extra: 1 })).toEqual(
      expect.arrayContaining([
        { field: '/replicas', message: 'must be a whole number' },
        { field: '/extra', message: 'is not a known field' },
      ]),
    )
  })

  it('holds system values to a schema that knows them', () => {
    const schema = { properties: { ingress: { properties: { host: { type: 'string', maxLength: 3 } } } } }
    expect(checkMergedValues(schema, system)).toEqual([
      { field: '/ingress/host', message: 'must have at most 3 characters' },
    ])
  })
})

describe('checkSchema', () => {
  it.each<[JsonObject, string, string | RegExp]>([
    [{ $schema: 'http://json-schema.org/draft-04/schema#' }, '/$schema', /^must be one of http/],
    [{ type: 'objekt' }, '/type', /^must be one of "array"/],
    [
      { properties: { a: { $ref: 'https://example.com/port.json' } } },
      '/properties/a/$ref',
      /must point into the schema/,
    ],
    [
      { properties: { a: { $ref: '#/$defs/none' } } },
      '/properties/a/$ref',
      'points to #/$defs/none, which does not exist',
    ],
    [{ properties: { a: { pattern: '(?=x)' } } }, '', /^cannot be used: .*invalid/],
    [{ properties: { a: { $id: 'x' } } }, '/properties/a/$id', /^nested \$id is not possible/],
    [fanOut(30), '', 'has more than 20000 subschemas once its references are followed'],
    [nested(50), '/a'.repeat(41), 'is nested deeper than 40 levels'],
  ])('refuses %j', (schema, field, message) => {
    const [first] = checkSchema(schema)
    expect(first?.field).toBe(field)
    expect(first?.message).toMatch(message)
  })

  it('takes keywords that it does not know, as Helm does', () => {
    expect(checkSchema({ properties: { a: { type: 'string', 'x-unit': 'GiB', format: 'cron' } } })).toEqual([])
  })
})

/** Thirty short definitions that amount to a billion. */
function fanOut(levels: number): JsonObject {
  const next = (n: number): JsonObject => (n < levels ? { $ref: `#/$defs/d${n}` } : { type: 'string' })
  const definitions = Array.from({ length: levels }, (_, n) => [`d${n}`, { allOf: [next(n + 1), next(n + 1)] }])
  return { $defs: Object.fromEntries(definitions), properties: { user: { properties: { a: next(0) } } } }
}

function nested(levels: number): JsonObject {
  let value: JsonObject = {}
  for (let n = 0; n < levels; n++) value = { a: value }
  return value
}
