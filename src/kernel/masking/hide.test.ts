import { expect, test } from 'vitest'
import { hideWith } from './hide.ts'
import { masker } from './masker.ts'

const mask = masker(['open sesame'], { mask: '***' })

test('a text that held a secret is listed by its path', () => {
  const { value, masked } = hideWith(mask)({
    pods: [{ name: 'a' }, { message: 'said open sesame' }],
    left: 1,
    no: null,
  })
  expect(value).toEqual({ pods: [{ name: 'a' }, { message: 'said ***' }], left: 1, no: null })
  expect(masked).toEqual(['pods[1].message'])
})

test('a name that held a secret is not part of a path', () => {
  const { value, masked } = hideWith(mask)({ labels: { 'x open sesame': 1 } })
  expect(JSON.stringify([value, masked])).not.toContain('sesame')
  expect(masked).toEqual(['labels'])
})

test('what is replaced by place is not listed', () => {
  const byPlace = (value: unknown) => ({ ...(value as object), password: '(hidden 1)' })
  expect(hideWith(mask, byPlace)({ password: 'open sesame' })).toEqual({
    value: { password: '(hidden 1)' },
    masked: [],
  })
})

test('what holds no secret is as it was', () => {
  expect(hideWith(mask)({ a: [1, 'two', true] })).toEqual({ value: { a: [1, 'two', true] }, masked: [] })
})
