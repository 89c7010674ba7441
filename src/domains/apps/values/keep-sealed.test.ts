import { expect, test } from 'vitest'
import type { JsonObject } from './json.ts'
import { splitKeeping } from './keep-sealed.ts'
import { joinSecrets } from './secrets.ts'

const schemaOf = (password: JsonObject): JsonObject => ({
  properties: { user: { properties: { password, users: { items: { properties: { token: password } } } } } },
})
const secret = schemaOf({ type: 'string', writeOnly: true })
const forgetful = schemaOf({ type: 'string' })
const values = { password: 'a', users: [{ name: 'x' }, { name: 'y', token: 'b' }], token: 'c' }

test('what the schema calls write-only is split off, as always', () => {
  expect(splitKeeping(secret, values, {})).toEqual({
    open: { users: [{ name: 'x' }, { name: 'y' }], token: 'c' },
    secrets: { '/password': 'a', '/users/1/token': 'b' },
  })
})

test('what was secret stays so when the schema forgets it, also when its list item has moved', () => {
  const split = splitKeeping(forgetful, values, { '/password': 'a', '/users/0/token': 'b' })
  expect(split.secrets).toEqual({ '/password': 'a', '/users/1/token': 'b' })
  expect(joinSecrets(split)).toEqual(values)
})

test('another value under the same name, or the same value under another name, is not what was secret', () => {
  expect(splitKeeping(forgetful, values, { '/password': 'z', '/users/0/pin': 'b' })).toEqual({
    open: values,
    secrets: {},
  })
})

test('a secret that is a whole object stays whole', () => {
  const before = { '/tls': { cert: 'c', key: 'k' } }
  expect(splitKeeping(null, { tls: { key: 'k', cert: 'c' } }, before)).toEqual({
    open: {},
    secrets: { '/tls': { key: 'k', cert: 'c' } },
  })
})
