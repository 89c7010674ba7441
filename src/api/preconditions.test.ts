import { expect, test } from 'vitest'
import { checkIfMatch } from './preconditions.ts'

const check =
  (given: string | undefined, required = false) =>
  () =>
    checkIfMatch({ headers: given === undefined ? {} : { 'if-match': given } }, 3, { required })

test.each(['"3"', '*', '"2", "3"', undefined])('If-Match %s lets a change of version 3 through', (given) =>
  expect(check(given)).not.toThrow(),
)

test.each(['"2"', 'W/"3"', '3', ''])('If-Match %s refuses it', (given) =>
  expect(check(given)).toThrow(
    expect.objectContaining({ failure: expect.objectContaining({ code: 'ChangedMeanwhile' }) }),
  ),
)

test('a change that needs a version says so', () =>
  expect(check(undefined, true)).toThrow(
    expect.objectContaining({ failure: expect.objectContaining({ code: 'PreconditionRequired' }) }),
  ))
