import { expect, test } from 'vitest'
import { verdictOnLapses } from './lapses.ts'

const limits = { backoff: { baseMs: 5_000, capMs: 60_000 }, maxLapses: 8 }
const verdict = (lapses: number, chance = 0.5) =>
  verdictOnLapses({ key: { kind: 'Thing', id: 'a' }, lapses }, limits, () => chance)

test('runs a key that lapsed once, postpones it from the second lapse on, and gives up at the limit', () => {
  const delays = [0, 1, 2, 3, 4, 5, 6, 7]
    .map((lapses) => verdict(lapses))
    .map((how) => how && 'afterMs' in how && how.afterMs)
  expect(delays).toEqual([undefined, undefined, 5_000, 10_000, 20_000, 40_000, 60_000, 60_000])
  for (const lapses of [8, 9])
    expect(verdict(lapses)).toMatchObject({
      then: 'giveUp',
      failure: {
        code: 'RunNeverEnded',
        message: `${lapses} runs of Thing/a in a row never ended: their process crashed or hung`,
        whoseMove: 'operator',
        retryable: false,
      },
    })
})

test('spreads keys that lapsed together over half the delay in both directions', () => {
  expect([0, 1].map((chance) => verdict(3, chance))).toMatchObject([{ afterMs: 5_000 }, { afterMs: 15_000 }])
})
