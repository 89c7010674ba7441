import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../values/json.ts'
import { DEFAULT_LAYOUT } from '../values/layout.ts'
import { splitSecrets } from '../values/secrets.ts'
import { formOf } from './form.ts'
import { checkSettings, hostPaths, userPartOf } from './user-part.ts'

/** As the charts have it whose settings are at the root: what tenants may set, and nothing else. */
const SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  required: ['serverName', 'title'],
  properties: {
    serverName: { type: 'string', title: 'Hostname' },
    title: { type: 'string', minLength: 2 },
    limits: { $ref: '#/$defs/limits' },
    admin: { type: 'object', properties: { password: { type: 'string', writeOnly: true } } },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    ingress: { type: 'object', required: ['host'], properties: { host: { type: 'string' } } },
  },
  $defs: {
    limits: {
      type: 'object',
      properties: { size: { type: 'integer', maximum: 10 }, more: { $ref: '#/$defs/limits' } },
    },
  },
} as const satisfies JsonObject

const template = {
  valuesSchema: SCHEMA as JsonObject,
  defaultValues: { image: 'synapse', serverName: 'matrix.local', title: 'Chat', limits: { size: 5, cpu: 1 } },
  layout: { ...DEFAULT_LAYOUT, domainPaths: ['/serverName', '/ingress/host'], userValues: 'root' as const },
}

const said = (userValues: JsonObject): Record<string, string> =>
  Object.fromEntries(checkSettings(template, userValues).map(({ field, message }) => [field, message]))

describe('settings at the root', () => {
  it('are shown without what the platform sets and without what the schema does not name', () => {
    const form = formOf(userPartOf(template))
    expect(form.enabled).toBe(true)
    expect(Object.keys(form.schema.properties as JsonObject)).toEqual(['title', 'limits', 'admin'])
    expect(form.defaults).toEqual({ title: 'Chat', limits: { size: 5 } })
  })

  it('are checked with the defaults, against the schema as it refers to itself', () => {
    expect(said({})).toEqual({})
    expect(said({ title: 'Our chat', limits: { size: 7, more: { size: 1 } }, labels: { a: 'b' } })).toEqual({})
    expect(Object.keys(said({ title: 'x', limits: { size: 11, more: { size: 12 } } }))).toEqual([
      '/user/title',
      '/user/limits/size',
      '/user/limits/more/size',
    ])
  })

  it('are closed: what the schema does not describe is not the tenant’s', () => {
    expect(said({ image: 'evil', limits: { cpu: 9 } })).toEqual({
      '/user/image': 'cannot be set: this product has no such setting',
      '/user/limits/cpu': 'cannot be set: this product has no such setting',
    })
  })

  it('never reach what the platform sets', () => {
    const message = 'is set by the platform and cannot be changed'
    expect(said({ serverName: 'evil' })).toEqual({ '/user/serverName': message })
    expect(said({ ingress: { host: 'evil' }, caelus: { plan: { size: 9 } } })).toEqual({
      '/user/ingress/host': message,
      '/user/caelus': message,
    })
    expect(Object.keys(said({ ingress: 'evil' }))).toEqual(['/user/ingress/host', '/user/ingress/className'])
  })

  it('keep their secrets apart', () => {
    const { valuesSchema } = userPartOf(template)
    expect(splitSecrets(valuesSchema, { title: 'x', admin: { password: 'hush' } })).toEqual({
      open: { title: 'x', admin: {} },
      secrets: { '/admin/password': 'hush' },
    })
  })

  it('are none when all that the schema names is the platform’s', () => {
    const only = { type: 'object', properties: { serverName: { type: 'string' } } }
    expect(formOf(userPartOf({ ...template, valuesSchema: only })).enabled).toBe(false)
    expect(checkSettings({ ...template, valuesSchema: only }, { a: 1 })).toHaveLength(1)
  })
})

it('finds where a schema has its host by the title', () => {
  expect(hostPaths(SCHEMA)).toEqual(['/serverName'])
  const nested = { properties: { a: { allOf: [{ properties: { b: { title: 'HOSTNAME' } } }] }, c: { title: 'Host' } } }
  expect(hostPaths(nested)).toEqual(['/a/b'])
})
