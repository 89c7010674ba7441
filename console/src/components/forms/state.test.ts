import { describe, expect, test } from 'vitest'
import { checkForm } from './check.ts'
import type { JsonObject } from './json.ts'
import { effective } from './schema.ts'
import { addItem, choose, initialState, removeItem, setAt, swapItems, writtenValues } from './state.ts'

const storage: JsonObject = {
  type: 'object',
  properties: { backup: { type: 'boolean' } },
  if: { properties: { backup: { const: true } }, required: ['backup'] },
  then: { properties: { schedule: { type: 'string', minLength: 3 } }, required: ['schedule'] },
}

const database: JsonObject = {
  type: 'object',
  properties: {
    database: {
      type: 'object',
      oneOf: [
        { title: 'Built in', properties: { kind: { const: 'internal' }, sizeGb: { type: 'integer', default: 5 } } },
        { title: 'Your own', properties: { kind: { const: 'external' }, url: { type: 'string' } }, required: ['url'] },
      ],
    },
  },
}

const people: JsonObject = {
  type: 'object',
  properties: {
    people: {
      type: 'array',
      maxItems: 3,
      items: {
        type: 'object',
        properties: { name: { type: 'string', minLength: 1 }, password: { type: 'string', writeOnly: true } },
        required: ['name', 'password'],
      },
    },
  },
}

const issues = (schema: JsonObject, values: JsonObject, held: readonly string[] = []) =>
  Object.fromEntries(checkForm(schema, { values, held, choices: {} }))

describe('what applies', () => {
  test('follows a condition', () => {
    expect(Object.keys(effective(storage, { backup: false }).schema.properties as object)).toEqual(['backup'])
    expect(Object.keys(effective(storage, { backup: true }).schema.properties as object)).toEqual([
      'backup',
      'schedule',
    ])
  })

  test('follows a dependency, and the stricter of two limits counts', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: { replicas: { type: 'integer', minimum: 1, maximum: 9 }, claim: { type: 'string' } },
      dependencies: { claim: { properties: { replicas: { maximum: 1 } } } },
    }
    expect(issues(schema, { replicas: 2 })).toEqual({})
    expect(issues(schema, { replicas: 2, claim: 'data' })).toEqual({ '/replicas': 'must be at most 1' })
  })

  test('is the alternative that fits the value, until another one is chosen', () => {
    const place = (database.properties as JsonObject).database as JsonObject
    expect(effective(place, { kind: 'external', url: 'x' }).alternatives).toMatchObject({
      titles: ['Built in', 'Your own'],
      selected: 1,
    })
    expect(effective(place, { kind: 'external' }, 0).alternatives?.selected).toBe(0)
  })

  test('a choice between constants is one list with their titles', () => {
    const { schema, alternatives } = effective(
      {
        oneOf: [
          { const: 's', title: 'Small' },
          { const: 'l', title: 'Large' },
        ],
      },
      's',
    )
    expect(schema).toMatchObject({ enum: ['s', 'l'], 'x-titles': ['Small', 'Large'] })
    expect(alternatives).toBeUndefined()
  })
})

describe('checking', () => {
  test('speaks at the exact field', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 1, maxLength: 5 },
        port: { type: 'integer', minimum: 1 },
        size: { enum: ['s', 'l'] },
        mail: { type: 'string', format: 'email' },
        tags: { type: 'array', maxItems: 2, items: { type: 'string', pattern: '^[a-z]+$' } },
        deep: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
      },
      required: ['name'],
    }
    expect(issues(schema, { port: 0, size: 'm', mail: 'x', tags: ['ok', 'NO'], deep: {} })).toEqual({
      '/name': 'is required',
      '/port': 'must be at least 1',
      '/size': 'must be one of s, l',
      '/mail': 'must be an email address',
      '/tags/1': 'must match ^[a-z]+$',
      '/deep/a': 'is required',
    })
    expect(issues(schema, { name: 'toolong', tags: ['a', 'b', 'c'] })).toEqual({
      '/name': 'must have at most 5 characters',
      '/tags': 'must have at most 2 items',
    })
  })

  test('a stored secret satisfies its requirement; a removed one does not', () => {
    const one = { people: [{ name: 'ann' }] }
    expect(issues(people, one)).toEqual({ '/people/0/password': 'is required' })
    expect(issues(people, one, ['/people/0/password'])).toEqual({})
    expect(issues(people, { people: [{ name: 'ann', password: null }] }, ['/people/0/password'])).toEqual({
      '/people/0/password': 'is required',
    })
  })

  test('asks for what is in an optional group only when something in it was said', () => {
    const mail: JsonObject = { type: 'object', properties: { host: { type: 'string' } }, required: ['host'] }
    const schema: JsonObject = { type: 'object', properties: { mail: { ...mail, properties: { host: {}, port: {} } } } }
    expect(issues(schema, {})).toEqual({})
    expect(issues(schema, { mail: { port: 25 } })).toEqual({ '/mail/host': 'is required' })
    expect(issues({ ...schema, required: ['mail'] }, {})).toEqual({ '/mail/host': 'is required' })
    const state = { values: { mail: { port: 25 } }, held: [], choices: {} }
    expect(setAt(state, ['mail', 'port'], undefined).values).toEqual({})
  })

  test('leaves patterns that only the server can read to the server', () => {
    expect(issues({ type: 'object', properties: { a: { type: 'string', pattern: '(?i)^x\\z' } } }, { a: 'y' })).toEqual(
      {},
    )
  })
})

describe('the state', () => {
  test('begins with what was written, over the defaults, over what the schema proposes', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: { a: { default: 1 }, b: { default: 1 }, c: { default: 1 }, d: { type: 'string' } },
    }
    expect(initialState({ schema, defaults: { b: 2, c: 2 }, written: { c: 3 } }).values).toEqual({ a: 1, b: 2, c: 3 })
  })

  test('what is known about items moves up when one before them goes', () => {
    const state = {
      values: { people: [{ name: 'ann' }, { name: 'bob' }] },
      held: ['/people/0/password', '/people/1/password'],
      choices: { '/people/1': 1 },
    }
    expect(removeItem(state, ['people'], 0)).toEqual({
      values: { people: [{ name: 'bob' }] },
      held: ['/people/0/password'],
      choices: { '/people/0': 1 },
    })
  })

  test('an item that changes places takes along what is known about it', () => {
    const state = {
      values: { people: [{ name: 'ann' }, { name: 'bob' }, { name: 'cy' }] },
      held: ['/people/0/password', '/other/0'],
      choices: { '/people/1': 1, '/people/2/kind': 3 },
    }
    expect(swapItems(state, ['people'], 0, 1)).toEqual({
      values: { people: [{ name: 'bob' }, { name: 'ann' }, { name: 'cy' }] },
      held: ['/people/1/password', '/other/0'],
      choices: { '/people/0': 1, '/people/2/kind': 3 },
    })
    expect(swapItems(state, ['people'], 2, 3)).toBe(state)
    expect(swapItems(state, ['nobody'], 0, 1)).toBe(state)
  })

  test('a new item begins with what its schema proposes', () => {
    const before = initialState({ schema: people, defaults: {} })
    expect(addItem(before, ['people'], { type: 'object', properties: { port: { default: 80 } } }).values).toEqual({
      people: [{ port: 80 }],
    })
    expect(addItem(before, ['people'], { type: 'string' }).values).toEqual({ people: [''] })
  })

  test('taking another alternative drops what only the one before knew', () => {
    const state = initialState({ schema: database, defaults: { database: { kind: 'internal', sizeGb: 20 } } })
    const place = (database.properties as JsonObject).database as JsonObject
    const { alternatives } = effective(place, state.values.database)
    const chosen = choose(state, ['database'], alternatives!, 1)
    expect(chosen.values).toEqual({ database: { kind: 'external' } })
    expect(chosen.choices).toEqual({ '/database': 1 })
    expect(Object.fromEntries(checkForm(database, chosen))).toEqual({ '/database/url': 'is required' })
  })
})

describe('what is sent', () => {
  const source = { schema: storage, defaults: { backup: false, schedule: 'daily' } }

  test('is what differs from the defaults', () => {
    const state = setAt(initialState(source), ['backup'], true)
    expect(writtenValues(state, source)).toEqual({ backup: true })
    expect(writtenValues(initialState(source), source)).toEqual({})
  })

  test('leaves out a field whose condition no longer holds', () => {
    const on = setAt(setAt(initialState(source), ['backup'], true), ['schedule'], 'hourly')
    expect(writtenValues(on, source)).toEqual({ backup: true, schedule: 'hourly' })
    expect(writtenValues(setAt(on, ['backup'], false), source)).toEqual({})
  })

  test('keeps what was written before, also when the form does not show it or it equals the default', () => {
    const written = { backup: false, unshown: 7 }
    expect(writtenValues(initialState({ ...source, written }), { ...source, written })).toEqual(written)
  })

  test('says absent for a kept secret, null for a removed one, and the value for a new one', () => {
    const written = { people: [{ name: 'ann' }] }
    const from = { schema: people, defaults: {}, written, held: ['/people/0/password'] }
    const state = initialState(from)
    expect(writtenValues(state, from)).toEqual(written)
    expect(writtenValues(setAt(state, ['people', 0, 'password'], null), from)).toEqual({
      people: [{ name: 'ann', password: null }],
    })
    expect(writtenValues(setAt(state, ['people', 0, 'password'], 'new'), from)).toEqual({
      people: [{ name: 'ann', password: 'new' }],
    })
  })
})
