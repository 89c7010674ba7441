import { expect, test } from 'vitest'
import { compareVersions, isNotNewer, isOlder } from './version.ts'

test.each([
  ['9', '10', -1],
  ['10', '9', 1],
  ['10', '10', 0],
  ['99999999999999999998', '99999999999999999999', -1],
  ['abc', 'abc', 0],
  ['abc', '10', undefined],
  ['010', '9', undefined],
  ['', '9', undefined],
  [undefined, '9', undefined],
])('%s against %s is %s', (a, b, order) => {
  const got = compareVersions(a, b)
  expect(got === undefined ? undefined : Math.sign(got)).toBe(order)
})

test('what cannot be compared is neither certainly older nor certainly not newer', () => {
  expect(isOlder('abc', '10')).toBe(false)
  expect(isNotNewer('abc', '10')).toBe(false)
})
