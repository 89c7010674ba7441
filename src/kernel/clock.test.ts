import { expect, test } from 'vitest'
import { elapsedSince, type Clock } from './clock.ts'

const at = (now: number, elapsed: number): Clock => ({ now: () => now, elapsed: () => elapsed, after: () => () => {} })

test.each([
  ['both clocks agree', at(1_400, 40_400), 400],
  ['the wall clock stepped back by an hour', at(1_400 - 3_600_000, 40_400), 400],
  ['the machine was suspended for an hour', at(1_400 + 3_600_000, 40_400), 3_600_400],
])('elapsedSince never answers with too little: %s', (_, clock, expected) => {
  expect(elapsedSince(clock, { wall: 1_000, monotonic: 40_000 })).toBe(expected)
})
