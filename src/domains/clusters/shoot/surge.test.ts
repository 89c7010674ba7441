import { expect, test } from 'vitest'
import type { NodePool } from '../types.ts'
import { forecastOf, type ForecastInput } from './surge.ts'

const pool = (name: string, min: number, max: number, machineType = 'small'): NodePool => ({
  id: name,
  name,
  machineType,
  autoscaleMin: min,
  autoscaleMax: max,
})

const before = [pool('default', 1, 3), pool('gpu', 0, 2, 'gpu')]

test.each<[string, Partial<ForecastInput>, string[], number]>([
  ['nothing', {}, ['default unchanged +0', 'gpu unchanged +0'], 5],
  ['more nodes', { after: [pool('default', 2, 6), before[1]!] }, ['default scaled +0', 'gpu unchanged +0'], 8],
  ['fewer nodes', { after: [pool('default', 1, 2), before[1]!] }, ['default scaled +0', 'gpu unchanged +0'], 5],
  [
    'another machine',
    { after: [pool('default', 1, 3, 'large'), before[1]!] },
    ['default rolled +1', 'gpu unchanged +0'],
    6,
  ],
  [
    'a new pool',
    { after: [...before, pool('more', 1, 4)] },
    ['default unchanged +0', 'gpu unchanged +0', 'more added +0'],
    9,
  ],
  ['a pool less', { after: [before[0]!] }, ['default unchanged +0', 'gpu removed +0'], 5],
  ['a new minor', { versions: ['1.34.3', '1.35'] }, ['default rolled +1', 'gpu rolled +1'], 7],
  ['a new patch', { versions: ['1.34.1', '1.34.3'] }, ['default unchanged +0', 'gpu unchanged +0'], 5],
])('%s', (_, change, pools, peak) => {
  const forecast = forecastOf({ before, after: before, limit: null, ...change })
  expect(forecast.pools.map((one) => `${one.name} ${one.change} +${one.surge}`)).toEqual(pools)
  expect(forecast.peak).toBe(peak)
})

test('machines are counted before and after', () => {
  const forecast = forecastOf({ before, after: [pool('default', 2, 6)], limit: null })
  expect(forecast).toMatchObject({ now: { min: 1, max: 5 }, then: { min: 2, max: 6 } })
  expect(forecast.pools).toMatchObject([
    { now: { min: 1, max: 3 }, then: { min: 2, max: 6 } },
    { now: { min: 0, max: 2 }, then: null },
  ])
})

test.each([
  [null, 100, true],
  [10, 5, true],
  [10, 6, false],
])('a limit of %s nodes with %i of other clusters is kept: %s', (limit, others, expected) => {
  expect(forecastOf({ before, after: before, limit, others }).isWithinLimit).toBe(expected)
})
