import { readFile } from 'node:fs/promises'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { expect, test } from 'vitest'
import { ID_PATTERN, PATTERN_WORDS } from '../contract/index.ts'
import { fieldErrors } from './validation.ts'

const schema = Type.Object(
  {
    domain: Type.String({ minLength: 3, pattern: '^[a-z]+$' }),
    days: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.Null()])),
    role: Type.Enum(['admin', 'member']),
    items: Type.Array(Type.Object({ size: Type.Integer() })),
  },
  { additionalProperties: false },
)
const refusalOf = (value: unknown) => fieldErrors(Compile(schema).Errors(value))

test('every wrong field is named once, with what it must be', () => {
  expect(refusalOf({ domain: 'A', days: 0, role: 'root', items: [{ size: 1 }, { size: '2' }], colour: 'red' })).toEqual(
    [
      { field: 'colour', message: 'is not a known field' },
      { field: 'domain', message: 'must not have fewer than 3 characters' },
      { field: 'days', message: 'must be >= 1' },
      { field: 'role', message: 'must be one of admin, member' },
      { field: 'items[1].size', message: 'must be integer' },
    ],
  )
})

test('missing fields are named one by one', () => {
  expect(refusalOf({ items: [{}] })).toEqual([
    { field: 'domain', message: 'is required' },
    { field: 'role', message: 'is required' },
    { field: 'items[0].size', message: 'is required' },
  ])
})

test('a value that may be null is told what is wrong with it, not that null would do', () => {
  const window = Type.Union([Type.Null(), Type.Object({ begin: Type.String({ minLength: 1 }) })])
  const names = Type.Union([Type.Array(Type.String({ minLength: 1 })), Type.Null()])
  const told = (value: unknown) => fieldErrors(Compile(Type.Object({ window, names, none: Type.Null() })).Errors(value))
  const missing = 'must not have fewer than 1 characters'
  expect(told({ window: { begin: '' }, names: [''], none: 1 })).toEqual([
    { field: 'window.begin', message: missing },
    { field: 'names[0]', message: missing },
    { field: 'none', message: 'must be null' },
  ])
  expect(told({ window: 1, names: 1, none: null })).toEqual([
    { field: 'window', message: 'must be object' },
    { field: 'names', message: 'must be array' },
  ])
})

test('a body that is no object is refused as a whole', () => {
  expect(refusalOf('text')).toEqual([{ field: '(whole)', message: 'must be object' }])
})

test('a pattern is told in words', async () => {
  const errors = Compile(Type.Object({ id: Type.String({ pattern: ID_PATTERN }) })).Errors({ id: 'nope' })
  expect(fieldErrors(errors)).toEqual([
    { field: 'id', message: 'must be an id such as 123e4567-e89b-42d3-a456-426614174000' },
  ])
  const reference = await readFile(new URL('../../../docs/reference/openapi.json', import.meta.url), 'utf8')
  const patterns = new Set<string>()
  JSON.parse(reference, (key, value: unknown) => {
    if (key === 'pattern' && typeof value === 'string') patterns.add(value)
    return value
  })
  expect([...patterns].filter((pattern) => PATTERN_WORDS[pattern] === undefined)).toEqual([])
})
