import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectNoSentinel, SENTINEL, sentinelSpellings } from '../../../../test/support/sentinel.ts'
import type { Json, JsonObject } from './json.ts'
import { appliable, masker, MASK, redact, type Appliable } from './redaction.ts'
import { isSealedWithCurrent, keyRing, open, openAll, seal, sealAll } from './seal.ts'
import {
  joinSecrets,
  keepSecrets,
  secretPointers,
  secretsOfRelease,
  splitSecrets,
  writeOnlyPointers,
} from './secrets.ts'

const key = (byte: number): string => Buffer.alloc(32, byte).toString('base64')
const ring = keyRing(`a:${key(1)}`)

const password = { type: 'string', format: 'password' }
const SCHEMA: JsonObject = {
  $defs: { login: { type: 'object', properties: { name: { type: 'string' }, password } } },
  properties: {
    user: {
      properties: {
        message: { type: 'string' },
        token: { type: 'string', writeOnly: true },
        smtp: { $ref: '#/$defs/login' },
        logins: { type: 'array', items: { $ref: '#/$defs/login' } },
        keys: { type: 'array', items: { type: 'string', writeOnly: true } },
        tls: { type: 'boolean' },
        extra: { type: 'object', additionalProperties: { writeOnly: true } },
      },
      if: { properties: { tls: { const: true } } },
      then: { properties: { tlsKey: { type: 'string', writeOnly: true } } },
      dependentSchemas: { backup: { properties: { backupKey: { writeOnly: true } } } },
      oneOf: [{ properties: { mode: { const: 'a' } } }, { properties: { modeKey: { writeOnly: true } } }],
    },
  },
}
const VALUES = {
  message: 'hi',
  token: 't',
  smtp: { name: 'mail', password: 'p0' },
  logins: [
    { name: 'ann', password: 'p1' },
    { name: 'bob', password: 'p2' },
  ],
  keys: ['k1', 'k2'],
  tls: true,
  tlsKey: 'k',
  backupKey: 'b',
  modeKey: 'm',
  extra: { any: 'e' },
}

describe('splitting', () => {
  it('finds write-only fields in definitions, lists, maps and every branch of a conditional', () => {
    expect(secretPointers(SCHEMA, VALUES)).toEqual([
      '/token',
      '/smtp/password',
      '/logins/0/password',
      '/logins/1/password',
      '/keys',
      '/tlsKey',
      '/backupKey',
      '/modeKey',
      '/extra/any',
    ])
  })

  it('takes them out and puts them back', () => {
    const split = splitSecrets(SCHEMA, VALUES)
    expect(split.open).toEqual({
      message: 'hi',
      smtp: { name: 'mail' },
      logins: [{ name: 'ann' }, { name: 'bob' }],
      tls: true,
      extra: {},
    })
    expect(joinSecrets(split)).toEqual(VALUES)
  })
})

describe('writing over stored secrets', () => {
  const stored = splitSecrets(SCHEMA, VALUES)
  const written = (submitted: JsonObject): JsonObject => keepSecrets(SCHEMA, submitted, stored)

  it('keeps everything when what was read is sent back', () => expect(written(stored.open)).toEqual(VALUES))

  it('replaces what is given and removes what is null', () => {
    const values = written({ ...stored.open, token: 'new', smtp: { name: 'mail', password: null }, keys: null })
    expect(values).toMatchObject({ token: 'new', smtp: { name: 'mail' } })
    expect(values.smtp).not.toHaveProperty('password')
    expect(values).not.toHaveProperty('keys')
  })

  it('lets a secret go with what it belonged to', () => {
    expect(written({ message: 'hi' })).not.toHaveProperty('smtp')
  })

  it('follows a list item by its name, never by its place', () => {
    const { logins } = written({ logins: [{ name: 'new' }, { name: 'bob' }, { name: 'ann' }] })
    expect(logins).toEqual([{ name: 'new' }, { name: 'bob', password: 'p2' }, { name: 'ann', password: 'p1' }])
  })

  it('gives a secret to nobody when two items could be meant', () => {
    const { logins } = written({ logins: [{ name: 'ann' }, { name: 'ann' }] })
    expect(logins).toEqual([{ name: 'ann' }, { name: 'ann' }])
  })
})

describe('sealing', () => {
  it('opens what it sealed, whatever it was', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, pointer) => {
        const json = JSON.parse(JSON.stringify(value)) as Json
        expect(open(ring, '7', pointer, seal(ring, '7', pointer, json))).toEqual(json)
      }),
    )
  })

  it('opens for no other deployment, field or text', () => {
    const envelope = seal(ring, '7', '/token', SENTINEL)
    expectNoSentinel(envelope)
    const [, , body = ''] = envelope.split('.')
    const tampered = `v1.a.${body.slice(0, -2)}${body.endsWith('AA') ? 'BB' : 'AA'}`
    for (const attempt of [
      () => open(ring, '8', '/token', envelope),
      () => open(ring, '7', '/other', envelope),
      () => open(ring, '7', '/token', tampered),
      () => open(ring, '7', '/token', SENTINEL),
      () => open(keyRing(`a:${key(2)}`), '7', '/token', envelope),
    ]) {
      expect(attempt).toThrow(/^failed to open the sealed value/)
      expect(attempt).not.toThrow(/s3ntinel|zw31te/)
    }
  })

  it('rotates: the new key seals, the old one still opens', () => {
    const sealed = sealAll(ring, '7', { '/token': 't' })
    const rotated = keyRing(`b:${key(2)}, a:${key(1)}`)
    expect(openAll(rotated, '7', sealed)).toEqual({ '/token': 't' })
    expect(isSealedWithCurrent(rotated, sealed)).toBe(false)
    const again = sealAll(rotated, '7', openAll(rotated, '7', sealed), sealed)
    expect(isSealedWithCurrent(rotated, again)).toBe(true)
    expect(() => openAll(ring, '7', again)).toThrow('with key b')
  })

  it('keeps the envelope of an unchanged value', () => {
    const sealed = sealAll(ring, '7', { '/a': 1, '/b': 2 })
    const again = sealAll(ring, '7', { '/a': 1, '/b': 3 }, sealed)
    expect(again['/a']).toBe(sealed['/a'])
    expect(again['/b']).not.toBe(sealed['/b'])
  })

  it.each(['', 'a', `a:${key(1).slice(4)}`, `:${key(1)}`])('refuses %j as keys without repeating them', (written) => {
    expect(() => keyRing(written)).toThrow('failed to read key 1 of CAELUS_VALUES_KEY: write id:base64 of 32 bytes')
  })

  it('refuses a key id twice', () => expect(() => keyRing(`a:${key(1)},a:${key(2)}`)).toThrow('is there twice'))
})

describe('the wall between what is shown and what is applied', () => {
  const apply = (object: Appliable<JsonObject>): JsonObject => object

  it('lets through what was never redacted', () => expect(apply(appliable({ a: 1 }))).toEqual({ a: 1 }))

  it('does not compile for redacted or unmarked objects', () => {
    const shown = redact({ password: SENTINEL }, ['/password'])
    // @ts-expect-error a redacted object is not appliable
    expect(() => apply(shown)).not.toThrow()
    // @ts-expect-error nor can it be made so
    expect(() => appliable(shown)).toThrow('/password is redacted')
    // @ts-expect-error an object that nobody vouched for is not appliable either
    expect(apply({ a: 1 })).toEqual({ a: 1 })
  })

  it('recognises the mask even where the type was lost', () => {
    const travelled = JSON.parse(JSON.stringify(redact({ a: [{ b: 'x' }] }, ['/a/0/b']))) as JsonObject
    expect(() => appliable(travelled)).toThrow('failed to apply an object: /a/0/b is redacted')
  })
})

describe('masker', () => {
  it('masks texts and numbers wherever they are in the secrets', () => {
    const mask = masker([{ deep: [SENTINEL], port: 123_456 }, true, null])
    expectNoSentinel(mask([...sentinelSpellings().values()].join(' | ')))
    expect(mask('port 123456, true')).toBe(`port ${MASK}, true`)
  })

  it('leaves nothing of a secret that begins like another', () => {
    expect(masker(['hunter', 'hunter2-and-more'])('refused hunter2-and-more')).toBe(`refused ${MASK}`)
  })

  it('masks one of few characters where it is a whole value', () => {
    const mask = masker([{ pin: 12 }, ['ab']])
    expect(['12', 'ab', 'Invalid value: "ab"', '120 abbots'].map(mask)).toEqual([
      MASK,
      MASK,
      `Invalid value: "${MASK}"`,
      '120 abbots',
    ])
  })
})

describe('secrets of a release', () => {
  const schema = {
    properties: {
      smtp: { properties: { password: { type: 'string', writeOnly: true } } },
      user: { properties: { password: { type: 'string', format: 'password' }, name: { type: 'string' } } },
    },
  }

  it('are those of the tenant and the write-only defaults of the template, in the user part or not', () => {
    const values = { smtp: { password: 'smtp-default' }, user: { password: 'initial', name: 'ann' } }
    expect([...secretsOfRelease(schema, values, { '/token': 'tenant' })]).toEqual(['tenant', 'smtp-default', 'initial'])
    expect(writeOnlyPointers(schema, values)).toEqual(['/smtp/password', '/user/password'])
    expect(writeOnlyPointers(null, values)).toEqual([])
  })
})
