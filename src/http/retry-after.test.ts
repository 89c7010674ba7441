import { expect, test } from 'vitest'
import { manualClock } from '../kernel/index.ts'
import { LONGEST_RETRY_AFTER_MS, retryAfterIn, retryAfterOfSeconds } from './retry-after.ts'

const NOON = 'Sun, 06 Nov 1994 12:00:00 GMT'
const clock = manualClock(Date.parse(NOON))
const at = (text: string, date?: string): number | undefined =>
  retryAfterIn({ 'retry-after': text, ...(date !== undefined && { date }) }, clock)

test.each([
  ['seconds', '7', 7_000],
  ['seconds with spaces', ' 7 ', 7_000],
  ['a fraction of a second', '0.5', 500],
  ['a date', 'Sun, 06 Nov 1994 12:00:30 GMT', 30_000],
  ['a date of RFC 850', 'Sunday, 06-Nov-94 12:00:30 GMT', 30_000],
  ['a date of asctime', 'Sun Nov  6 12:00:30 1994', 30_000],
  ['a year', '31536000', LONGEST_RETRY_AFTER_MS],
  ['next year', 'Mon, 06 Nov 1995 12:00:00 GMT', LONGEST_RETRY_AFTER_MS],
  ['a number beyond all numbers', '9'.repeat(400), LONGEST_RETRY_AFTER_MS],
  ['zero', '0', undefined],
  ['a negative number', '-5', undefined],
  ['a past date', 'Sun, 06 Nov 1994 11:59:59 GMT', undefined],
  ['an empty text', '', undefined],
  ['a word', 'soon', undefined],
  ['a day without a date', 'Sunday', undefined],
  ['a hexadecimal number', '0x10', undefined],
])('%s', (_, text, ms) => {
  expect(at(text)).toBe(ms)
})

test('a date counts from the date of the same answer, whatever the own clock says', () => {
  expect(at('Sun, 06 Nov 1994 20:00:30 GMT', 'Sun, 06 Nov 1994 20:00:00 GMT')).toBe(30_000)
})

test('an absent or repeated header asks for nothing', () => {
  expect(retryAfterIn({}, clock)).toBeUndefined()
  expect(retryAfterIn({ 'retry-after': ['1', '2'] }, clock)).toBeUndefined()
})

test('seconds from a body have the same limit', () => {
  expect(retryAfterOfSeconds(3)).toBe(3_000)
  expect(retryAfterOfSeconds(31_536_000)).toBe(LONGEST_RETRY_AFTER_MS)
  expect(retryAfterOfSeconds(-1)).toBeUndefined()
  expect(retryAfterOfSeconds(Number.NaN)).toBeUndefined()
})
