import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { expectNoSentinel, SENTINEL, sentinelSpellings } from '../../test/support/sentinel.ts'
import { scrubber } from './scrub.ts'

const scrub = scrubber(['s3ntinel "quoted"', 'pa55word/with?signs'])

test.each([
  ['a known value', 'failed with s3ntinel "quoted" inside', 'failed with [redacted] inside'],
  ['a known value inside JSON', JSON.stringify({ m: 's3ntinel "quoted"' }), '{"m":"[redacted]"}'],
  ['a known value inside a URL', '/x?p=pa55word%2Fwith%3Fsigns', '/x?p=[redacted]'],
  ['one of our tokens', 'token cael_abcdefgh12345678 refused', 'token cael_[redacted] refused'],
  ['the token of an invitation', 'at /accept#cinv_abcdefgh12345678 refused', 'at /accept#cinv_[redacted] refused'],
  ['a token in a URL', 'at /login?to=%23cinv_abcdefgh12345678', 'at /login?to=%23cinv_[redacted]'],
  ['a bearer header', 'authorization: Bearer abc.def-ghi_jkl', 'authorization: Bearer [redacted]'],
  ['credentials of a URL', 'connect postgres://joe:pw@db/x', 'connect postgres://[redacted]@db/x'],
  ['a password with an at sign', 'connect postgres://joe:p@w@db/x', 'connect postgres://[redacted]@db/x'],
  ['a JWT', 'got x-eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.c2ln, no', 'got x-[redacted], no'],
])('takes out %s', (_what, text, clean) => expect(scrub(text)).toBe(clean))

test('leaves ordinary text alone', () => {
  const text = 'failed to read chart oci://charts.example/app 1.2.3: 404 (mail ops@example.org)'
  expect(scrub(text)).toBe(text)
})

test('no spelling of a known value survives, in a text or in an object', () => {
  const { value } = scrubber([SENTINEL])
  for (const spelling of sentinelSpellings().values()) {
    expectNoSentinel(scrubber([SENTINEL])(`failed with ${spelling} inside`))
    expectNoSentinel(value({ deep: [{ text: `failed with ${spelling}` }], error: new Error(spelling).message }))
  }
})

test('no known value survives, whatever surrounds it', () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ minLength: 6 }), fc.string(), (before, secret, after) => {
      fc.pre(/[^\s+']{4}/.test(secret) && !'[redacted]'.includes(secret))
      expect(scrubber([secret])(before + secret + after).replaceAll('[redacted]', '\0')).not.toContain(secret)
    }),
  )
})

test.each([
  ['parts of JWTs', 'eyJaaaaaaaa-'],
  ['schemes', 'a.a-'],
  ['headers', 'bearer '],
  ['addresses', 'a://b@'],
])('takes linear time for 200 kB of %s', (_what, unit) => {
  // Quadratic time would be minutes, past the deadline of the test.
  scrub(unit.repeat(200_000 / unit.length))
})
