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
    [{ text: 'x'.repeat(300_000) }, '/user', 'has more than 262144 bytes'],
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

  it('refuses what a recursive schema would take seconds for, however few bytes it has', () => {
    const branch = (op: string): JsonObject => ({
      allOf: [{ properties: { op: { const: op } } }, { $ref: '#/$defs/node' }],
    })
    const node = { type: 'object', properties: { op: { type: 'string' }, a: { anyOf: ['x', 'y', 'z'].map(branch) } } }
    const valuesSchema = { type: 'object', $defs: { node }, properties: { user: { $ref: '#/$defs/node' } } }
    expect(checkSchema(valuesSchema)).toEqual([])
    const filter = (depth: number): JsonObject => (depth === 0 ? { op: 1 } : { op: 'q', a: filter(depth - 1) })
    expect(checkUserValues({ defaultValues: {}, valuesSchema }, filter(4))[0]?.message).toBe('must be x')
    const before = process.cpuUsage()
    for (const depth of [10, 12, 19]) {
      expect(checkUserValues({ defaultValues: {}, valuesSchema }, filter(depth))).toEqual([
        { field: '/user', message: 'takes too long to check; nest fewer objects and lists in each other' },
      ])
      const merged = { user: filter(depth) }
      expect(checkMergedValues(valuesSchema, merged)[0]?.message).toMatch(/^takes too long to check/)
    }
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000)
  })

  it.each([
    ['a list', { a: Array.from({ length: 450_000 }, () => 0) }, '/user/a'],
    ['objects in each other', nested(100_000), `/user${'/a'.repeat(21)}`],
    [
      'lists in each other',
      { a: JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) },
      /^\/user\/a(?:\/0){20}$/,
    ],
    ['many fields', Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`k${n}`, {}])), '/user'],
  ])('is done at once with %s that are too many', (_name, values, field) => {
    const before = process.cpuUsage()
    const [first, ...rest] = problems({}, values, { additionalProperties: true })
    expect(rest).toEqual([])
    expect(first?.field).toMatch(field)
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000)
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
  it.each<[JsonObject, string | RegExp, string | RegExp]>([
    [{ $schema: 'http://json-schema.org/draft-03/schema#' }, '/$schema', /^must be one of http/],
    [{ $schema: 'https://example.com/mine' }, '/$schema', /^must be one of http/],
    [{ $schema: '' }, '/$schema', /^must be one of http/],
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
    [
      { properties: { a: { $ref: '#/$defs/%zz' } } },
      '/properties/a/$ref',
      /^is #\/\$defs\/%zz, which is not a pointer/,
    ],
    [{ properties: { a: { $ref: '#%zz' } } }, '/properties/a/$ref', /which is not a pointer/],
    [{ properties: { a: { pattern: '(?=x)' } } }, '/properties/a/pattern', /^cannot be used: .*invalid/],
    [{ patternProperties: { '(?=x)': {} } }, '/patternProperties/(?=x)', /^cannot be used: .*invalid/],
    [{ patternProperties: { ['x'.repeat(1_001)]: {} } }, /^\/patternProperties\/x+$/, /at most 1000 characters/],
    [{ properties: { a: { enum: [] } } }, '/properties/a/enum', /^must list a value/],
    [{ x: { y: { pattern: '(?=x)' } }, properties: { a: { $ref: '#/x/y' } } }, '/x/y/pattern', /^cannot be used/],
    [
      { properties: { a: { $ref: '#/$defs/loop' } }, $defs: { loop: { allOf: [{ $ref: '#/$defs/loop' }] } } },
      /loop/,
      'refers to itself without end',
    ],
    [{ properties: { a: { $id: 'x' } } }, '/properties/a/$id', /^nested \$id is not possible/],
    [fanOut(30), /^\/\$defs\/d1\d$/, /^holds one value to more than 20000 subschemas/],
    [nested(50), '/a'.repeat(41), 'is nested deeper than 40 levels'],
  ])('refuses %j', (schema, field, message) => {
    const [first] = checkSchema(schema)
    expect(first?.field).toMatch(typeof field === 'string' ? new RegExp(`^${RegExp.escape(field)}$`) : field)
    expect(first?.message).toMatch(message)
  })

  it.each([
    { default: { $ref: '#/nowhere', $id: 'x' } },
    { const: { $ref: '#/nowhere', $id: 'x' } },
    { enum: [{ $ref: '#/nowhere', $id: 'x' }] },
    { examples: [{ $ref: '#/nowhere', $id: 'x', $anchor: 'y' }] },
    { properties: { $ref: { type: 'string' }, $id: { type: 'string' }, pattern: { type: 'string' } } },
  ])('takes data and names for no keywords: %j', (user) => {
    expect(checkSchema({ properties: { user } })).toEqual([])
    expect(checkUserValues({ defaultValues: {}, valuesSchema: { properties: { user } } }, {})).toBeDefined()
  })

  it('takes a schema of 350 kB with many references', () => {
    const described = (n: number): JsonObject => ({ type: 'string', description: 'x'.repeat(300), title: `field ${n}` })
    const definitions = Array.from({ length: 40 }, (_, n): [string, JsonObject] => [
      `d${n}`,
      {
        properties: Object.fromEntries([...Array(25).keys()].map((m) => [`f${m}`, described(m)])),
        ...(n > 0 && { additionalProperties: { $ref: `#/definitions/d${n - 1}` } }),
      },
    ])
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      definitions: Object.fromEntries(definitions),
      properties: { user: { additionalProperties: { $ref: '#/definitions/d39' } } },
    }
    expect(JSON.stringify(schema).length).toBeGreaterThan(350_000)
    expect(checkSchema(schema)).toEqual([])
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
