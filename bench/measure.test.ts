import { expect, test } from 'vitest'
import { medianRounds, table, type Row } from './measure.ts'

const N = 100

/** A round that took `seconds`; its other figures depend on them, so that mixed rounds are seen. */
const round = (peer: string, seconds: number, bench = 'queue'): Row => ({
  bench,
  peer,
  n: N,
  seconds,
  perSecond: N / seconds,
  cpuSeconds: seconds * 2,
  rssMiB: 1000 / seconds,
  p50ms: seconds / 10,
  p99ms: null,
  notes: `${peer} ${seconds}`,
})

test.each([
  { rounds: [4], median: 4 },
  { rounds: [8, 2], median: 8 },
  { rounds: [5, 1, 2], median: 2 },
  { rounds: [10, 1, 4, 5], median: 5 },
])('the median of rounds of $rounds s is the whole round of $median s', ({ rounds, median }) => {
  expect(medianRounds(rounds.map((seconds) => round('caelus', seconds)))).toEqual([round('caelus', median)])
})

test('each peer and each bench has its own median', () => {
  const rows = [round('a', 1), round('b', 2), round('a', 4), round('b', 5), round('a', 10, 'other')]
  expect(medianRounds(rows)).toEqual([round('a', 4), round('b', 5), round('a', 10, 'other')])
})

test('seconds and rate of a line multiply to the number of items', () => {
  const text = table([round('caelus', 2), round('caelus', 8), round('peer', 4), round('peer', 5)], 'caelus')
  expect(text).toContain('| queue | caelus | 8 | 12.5 |')
  expect(text).toContain('| queue | peer | 5 (1.6×) | 20 (0.63×) |')
})
