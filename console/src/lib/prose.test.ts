import { expect, test } from 'vitest'
import { proseParts } from './prose.ts'

test('what stands between backticks is code', () => {
  expect(proseParts('Run `caelus up` first.')).toEqual([
    { code: false, text: 'Run ' },
    { code: true, text: 'caelus up' },
    { code: false, text: ' first.' },
  ])
})

test('a lonely backtick stays a character', () => {
  expect(proseParts('5` long')).toEqual([{ code: false, text: '5` long' }])
})
