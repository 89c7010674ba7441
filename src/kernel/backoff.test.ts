import { expect, test } from 'vitest'
import { delayFor, jittered } from './backoff.ts'

test('the delay doubles with every failure, up to the cap', () => {
  const backoff = { baseMs: 100, capMs: 1_000 }
  expect([0, 1, 2, 3, 4, 5, 1_000].map((failures) => delayFor(failures, backoff))).toEqual([
    100, 100, 200, 400, 800, 1_000, 1_000,
  ])
})

test('the jitter stays within a tenth', () => {
  expect([0, 0.5, 1].map((random) => jittered(1_000, () => random))).toEqual([900, 1_000, 1_100])
})
