import { expect, test } from 'vitest'
import { jsonText, jsonTokens } from './json.ts'

test('keys, strings, numbers and words are told apart', () => {
  const kinds = jsonTokens('{"a": "b: 1", "n": -1.5e3, "t": true}').filter(({ kind }) => kind !== 'plain')
  expect(kinds.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
    'key "a"',
    'string "b: 1"',
    'key "n"',
    'number -1.5e3',
    'key "t"',
    'word true',
  ])
})

test.each([{}, [], null, { 'we"ird': 'a\\"b' }, { deep: [{ x: [1, null, 'é'] }] }])(
  'the pieces of %j are the text again',
  (value) => {
    const text = jsonText(value)
    expect(
      jsonTokens(text)
        .map((token) => token.text)
        .join(''),
    ).toBe(text)
  },
)

test('a huge text stays one piece', () => {
  expect(jsonTokens(jsonText(Array.from({ length: 30_000 }, (_, i) => i)))).toHaveLength(1)
})
