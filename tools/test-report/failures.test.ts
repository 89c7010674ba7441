import { expect, test } from 'vitest'
import { endOf, failureOf } from './failures.ts'

test('a failed test is listed by its name with the beginning of each error', () => {
  const long = Array.from({ length: 20 }, (_, line) => `line ${line}`).join('\n')
  const listed = failureOf('x.test.ts > adds', [{ message: 'expected 1\nto be 2' }, { message: long }, {}])
  expect(listed.split('\n')).toEqual([
    'x.test.ts > adds',
    '    expected 1',
    '    to be 2',
    ...Array.from({ length: 8 }, (_, line) => `    line ${line}`),
    '    ...',
    '    no message',
  ])
})

test('the end of an output is its last lines, without empty ones after them', () => {
  expect(endOf('a\nb\nc\n\n', 2)).toBe('b\nc')
  expect(endOf('', 2)).toBe('')
})
