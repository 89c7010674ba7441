import { expect, test } from 'vitest'
import { ageText, dayText, durationText, elapsedText } from './age.ts'

test.each([
  [-500, '0s'],
  [8_900, '8s'],
  [60_000, '1m'],
  [192_000, '3m 12s'],
  [7_500_000, '2h 5m'],
  [356_400_000, '4d 3h'],
  [86_400_000 * 67, '67d'],
])('%i ms is %s', (ms, text) => expect(durationText(ms)).toBe(text))

test.each([
  [430, '0.4 s'],
  [12_800, '12 s'],
  [192_000, '3m 12s'],
])('a step of %i ms took %s', (ms, text) => expect(elapsedText(ms)).toBe(text))

test('an age is counted from the moment given', () => {
  expect(ageText('2026-11-15T10:00:00Z', Date.parse('2026-11-15T10:00:42Z'))).toBe('42s')
})

test('days are named from the reader’s midnight', () => {
  const now = new Date(2026, 10, 15, 0, 30).getTime()
  const at = (...parts: [number, number, number, number]): string => new Date(...parts).toISOString()
  expect(dayText(at(2026, 10, 15, 0), now)).toBe('Today')
  expect(dayText(at(2026, 10, 14, 23), now)).toBe('Yesterday')
  expect(dayText(at(2026, 10, 10, 12), now)).toContain('2026')
})
