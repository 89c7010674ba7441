import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { scrubber } from './scrub.ts'

const scrub = scrubber(['s3ntinel "quoted"', 'pa55word/with?signs'])

test.each([
  ['a known value', 'failed with s3ntinel "quoted" inside', 'failed with [redacted] inside'],
  ['a known value inside JSON', JSON.stringify({ m: 's3ntinel "quoted"' }), '{"m":"[redacted]"}'],
  ['a known value inside a URL', '/x?p=pa55word%2Fwith%3Fsigns', '/x?p=[redacted]'],
  ['one of our tokens', 'token cael_abcdefgh12345678 refused', 'token cael_[redacted] refused'],
  ['a bearer header', 'authorization: Bearer abc.def-ghi_jkl', 'authorization: Bearer [redacted]'],
  ['credentials of a URL', 'connect postgres://joe:pw@db/x', 'connect postgres://[redacted]@db/x'],
])('takes out %s', (_what, text, clean) => expect(scrub(text)).toBe(clean))

test('leaves ordinary text alone', () => {
  const text = 'failed to read chart oci://charts.example/app 1.2.3: 404 (mail ops@example.org)'
  expect(scrub(text)).toBe(text)
})

test('no known value survives, whatever surrounds it', () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ minLength: 6 }), fc.string(), (before, secret, after) => {
      fc.pre(!'[redacted]'.includes(secret))
      expect(scrubber([secret])(before + secret + after).replaceAll('[redacted]', '')).not.toContain(secret)
    }),
  )
})
