import { expect, test } from 'vitest'
import { expiryText } from './expiry.ts'

test.each([
  [null, 'never'],
  ['2026-11-18T12:00:00Z', 'in 3d'],
  ['2026-11-15T11:00:00Z', '1h ago'],
])('a token that expires at %s does so %s', (expiresAt, text) => {
  expect(expiryText(expiresAt, Date.parse('2026-11-15T12:00:00Z'))).toBe(text)
})
