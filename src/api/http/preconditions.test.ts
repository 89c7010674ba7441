import { expect, test } from 'vitest'
import { etagOf, generationIn } from './preconditions.ts'

const sent = (ifMatch?: string) => ({ headers: ifMatch === undefined ? {} : { 'if-match': ifMatch } })

test('what was sent as ETag comes back as the generation', () => {
  expect(generationIn(sent(etagOf(7)))).toBe(7)
})

test('without If-Match, or with *, a change is meant for whatever there is', () => {
  expect(generationIn(sent())).toBeUndefined()
  expect(generationIn(sent(' * '))).toBeUndefined()
})

test.each(['7', 'W/"7"', '"x"', '"1", "2"', ''])('If-Match %s is no version, so nothing is changed', (ifMatch) => {
  expect(() => generationIn(sent(ifMatch))).toThrow(/is no version/)
})
