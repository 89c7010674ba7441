import { expect, test } from 'vitest'
import { loginFailure } from './login-failure.ts'

const ID = '0b9e3a52-5b0c-4d3e-9a53-7f1d2c3b4a59'

test('a login that has not failed says nothing', () => {
  expect(loginFailure('?return_to=/apps')).toBe(undefined)
})

test('a failure is told in words, with the id of the request', () => {
  expect(loginFailure(`?failure=LoginUnavailable&request=${ID}`)).toEqual({
    title: 'Single sign-on does not answer',
    text: expect.stringContaining('try again later'),
    request: ID,
  })
})

test.each(['<b>', 'constructor', 'Somebody says: call this number'])(
  'words from the address are not shown: %s',
  (word) => {
    const query = new URLSearchParams({ failure: word, request: word })
    expect(loginFailure(`?${query}`)).toMatchObject({ title: 'You are not signed in', request: undefined })
  },
)
