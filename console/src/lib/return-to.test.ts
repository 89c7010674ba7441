import { expect, test } from 'vitest'
import { loginPath, returnPath } from './return-to.ts'

test('a path with its search survives the login', () => {
  const path = '/operations/decisions?q=echo&sort=-age'
  expect(returnPath(new URL(loginPath(path), 'http://caelus.test').search)).toBe(path)
})

test.each([
  '//evil.test',
  '/\\evil.test',
  '/\t/evil.test',
  '/.//evil.test',
  'https://evil.test',
  'javascript:alert(1)',
  '/login?return_to=/login',
  '',
])('does not follow %j', (wanted) => expect(returnPath(`?${new URLSearchParams({ return_to: wanted })}`)).toBe('/'))

test('the start page needs no way back', () => {
  expect(loginPath('/')).toBe('/login')
})
