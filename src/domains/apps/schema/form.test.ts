import { describe, expect, it } from 'vitest'
import { expectNoSentinel, SENTINEL } from '../../../../test/support/sentinel.ts'
import { formOf } from './form.ts'
import type { JsonObject } from '../values/json.ts'
import { checkSchema } from './schema.ts'

const form = (properties: JsonObject, more: JsonObject = {}, user: JsonObject = {}, root: JsonObject = {}) => {
  const valuesSchema = { ...root, properties: { user: { type: 'object', properties, ...more } } }
  expect(checkSchema(valuesSchema)).toEqual([])
  return formOf({ valuesSchema, defaultValues: { user } })
}

describe('formOf', () => {
  it('is disabled for a template that takes no input', () => {
    expect(formOf({ valuesSchema: null, defaultValues: {} })).toMatchObject({ enabled: false, uiHints: [] })
    expect(formOf({ valuesSchema: { properties: {} }, defaultValues: {} }).enabled).toBe(false)
  })

  it('shows leaves with what a person needs to fill them in', () => {
    const { schema, uiHints, defaults } = form(
      {
        message: { type: 'string', title: 'Message', description: 'Shown on the page', maxLength: 500, default: 'hi' },
        maxUploadSize: { type: 'integer', minimum: 1, 'x-unit': 'MiB', 'x-order': 1 },
        plan: { enum: ['small', 'large'] },
        debug: { type: ['boolean', 'null'] },
      },
      { required: ['message'] },
      { message: 'hello' },
    )
    expect(schema).toEqual({
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      additionalProperties: false,
      required: ['message'],
      properties: {
        message: { type: 'string', title: 'Message', description: 'Shown on the page', maxLength: 500, default: 'hi' },
        maxUploadSize: { type: 'integer', minimum: 1 },
        plan: { enum: ['small', 'large'] },
        debug: { type: ['boolean', 'null'] },
      },
    })
    expect(uiHints).toEqual([
      { pointer: '/message', widget: 'textarea', title: 'Message' },
      { pointer: '/maxUploadSize', widget: 'number', title: 'Max upload size', unit: 'MiB', order: 1 },
      { pointer: '/plan', widget: 'select', title: 'Plan' },
      { pointer: '/debug', widget: 'checkbox', title: 'Debug' },
    ])
    expect(defaults).toEqual({ message: 'hello' })
  })

  it('takes alternatives that are constants for a choice, with or without a type', () => {
    const sizes = [
      { const: 's', title: 'Small' },
      { const: 'l', title: 'Large' },
    ]
    const { schema, uiHints, hidden } = form(
      {
        size: { title: 'Size', oneOf: sizes },
        speed: { anyOf: [{ const: 1 }, { const: 2.5 }] },
        zone: { oneOf: [{ $ref: '#/$defs/north' }, { const: 'south' }] },
        features: { type: 'array', uniqueItems: true, items: { oneOf: sizes } },
        stages: { type: 'array', maxItems: 3, items: { anyOf: sizes } },
        shape: { oneOf: [{ const: { corners: 3 } }, { const: { corners: 4 } }] },
        mixed: { oneOf: [{ const: 'none' }, { minLength: 3 }] },
      },
      {},
      {},
      { $defs: { north: { const: 'north' } } },
    )
    expect(schema.properties).toMatchObject({
      size: { title: 'Size', oneOf: sizes },
      speed: { anyOf: [{ const: 1 }, { const: 2.5 }] },
      zone: { oneOf: [{ const: 'north' }, { const: 'south' }] },
    })
    expect(uiHints.map(({ pointer, widget }) => [pointer, widget])).toEqual([
      ['/size', 'select'],
      ['/speed', 'select'],
      ['/zone', 'select'],
      ['/features', 'checkboxes'],
      ['/features/*', 'select'],
      ['/stages', 'list'],
      ['/stages/*', 'select'],
    ])
    expect(hidden.map(({ pointer }) => pointer)).toEqual(['/shape', '/mixed'])
    expect(checkSchema(schema)).toEqual([])
  })

  it('leaves out what cannot be edited, and says why', () => {
    const { schema, hidden } = form(
      {
        id: { type: 'string', readOnly: true },
        anything: {},
        bag: { type: 'object' },
        many: { type: 'array', items: { type: 'string' } },
        tree: { $ref: '#/$defs/tree' },
      },
      {},
      {},
      { $defs: { tree: { type: 'object', properties: { child: { $ref: '#/$defs/tree' } } } } },
    )
    expect(schema.properties).toEqual({})
    expect(hidden.map(({ pointer, why }) => `${pointer}: ${why}`)).toEqual(
      expect.arrayContaining([
        '/id: it is read-only',
        '/anything: its type is not given',
        '/bag: nothing in it can be edited, or it takes any number of fields',
        '/many: it is a list without a limit (maxItems of at most 100)',
        '/child'.repeat(8).replace('/child', '/tree') + '/child: it is nested deeper than 8 levels',
      ]),
    )
  })

  it('shows bounded lists of objects, choices, tuples and maps', () => {
    const { schema, uiHints } = form(
      {
        hosts: { type: 'array', maxItems: 5, items: { $ref: '#/$defs/host' } },
        features: { type: 'array', uniqueItems: true, items: { enum: ['a', 'b'] } },
        range: { type: 'array', prefixItems: [{ type: 'integer' }, { type: 'integer' }] },
        labels: { type: 'object', maxProperties: 4, additionalProperties: { type: 'string' } },
      },
      {},
      {},
      {
        $defs: {
          host: {
            type: 'object',
            required: ['name'],
            properties: { name: { type: 'string' }, port: { type: 'integer' } },
          },
        },
      },
    )
    expect(schema.properties).toMatchObject({
      hosts: { maxItems: 5, items: { required: ['name'], properties: { name: {}, port: {} } } },
      features: { items: { enum: ['a', 'b'] } },
      range: { items: [{ type: 'integer' }, { type: 'integer' }] },
      labels: { additionalProperties: { type: 'string' } },
    })
    expect(checkSchema(schema)).toEqual([])
    expect(uiHints.map(({ pointer, widget }) => [pointer, widget])).toEqual([
      ['/hosts', 'list'],
      ['/hosts/*', 'group'],
      ['/hosts/*/name', 'text'],
      ['/hosts/*/port', 'number'],
      ['/features', 'checkboxes'],
      ['/features/*', 'select'],
      ['/range', 'list'],
      ['/range/0', 'number'],
      ['/range/1', 'number'],
      ['/labels', 'group'],
      ['/labels/*', 'text'],
    ])
  })

  it('keeps the conditions between fields', () => {
    const { schema, uiHints } = form(
      { tls: { type: 'boolean' }, replicas: { type: 'integer' }, kind: { enum: ['disk', 's3'] } },
      {
        if: { properties: { tls: { const: true } } },
        then: { properties: { certificate: { type: 'string' }, replicas: { minimum: 2 } }, required: ['certificate'] },
        dependentSchemas: { kind: { required: ['bucket'], properties: { bucket: { type: 'string' } } } },
        dependentRequired: { tls: ['replicas'] },
        oneOf: [
          { properties: { kind: { const: 'disk' } } },
          { properties: { kind: { const: 's3' }, region: { type: 'string' } }, required: ['region'] },
        ],
      },
    )
    expect(schema).toMatchObject({
      if: { properties: { tls: { const: true } } },
      then: { properties: { certificate: { type: 'string' }, replicas: { minimum: 2 } }, required: ['certificate'] },
      dependencies: {
        kind: { required: ['bucket'], properties: { bucket: { type: 'string' } } },
        tls: { required: ['replicas'] },
      },
      oneOf: [
        { properties: { kind: { const: 'disk' } } },
        { properties: { kind: { const: 's3' }, region: { type: 'string' } }, required: ['region'] },
      ],
    })
    expect(checkSchema(schema)).toEqual([])
    expect(uiHints.map(({ pointer }) => pointer)).toEqual(
      expect.arrayContaining(['/certificate', '/bucket', '/region', '/replicas']),
    )
  })

  it('stops at a thousand fields, however the references fan out', () => {
    const children = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`c${n}`, { $ref: '#/$defs/tree' }]))
    const tree = { type: 'object', properties: { ...children, name: { type: 'string' } } }
    const { uiHints, hidden } = form({ tree: { $ref: '#/$defs/tree' } }, {}, {}, { $defs: { tree } })
    expect(uiHints.length).toBeLessThanOrEqual(1_000)
    expect(hidden.some(({ why }) => why === 'the form already has 1000 fields')).toBe(true)
  })

  it('marks write-only fields and gives away none of their defaults', () => {
    const answer = form(
      {
        password: { type: 'string', format: 'password', default: SENTINEL },
        logins: {
          type: 'array',
          maxItems: 3,
          default: [{ token: SENTINEL }],
          items: { type: 'object', properties: { token: { type: 'string', writeOnly: true } } },
        },
      },
      {},
      { password: SENTINEL, logins: [{ token: SENTINEL }] },
    )
    expect(answer.uiHints.filter(({ writeOnly }) => writeOnly)).toMatchObject([
      { pointer: '/password', widget: 'password' },
      { pointer: '/logins/*/token', widget: 'password' },
    ])
    expect(answer.defaults).toEqual({ logins: [{}] })
    expectNoSentinel(answer)
  })
})
