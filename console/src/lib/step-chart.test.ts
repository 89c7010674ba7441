import { describe, expect, test } from 'vitest'
import { frameOf, indexAt, scaleIn, stepPath } from './step-chart.ts'
import type { Moment } from './step-chart.ts'

const MINUTE = 60_000
const moments: readonly Moment[] = [
  { at: 0, values: [null, 2] },
  { at: 2 * MINUTE, values: [5, 2] },
  { at: 3 * MINUTE, values: [null, 5] },
]

describe('the frame', () => {
  test.each([
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [5, [0, 2, 4, 6]],
    [9, [0, 5, 10]],
    [250, [0, 100, 200, 300]],
  ])('of values up to %j has round numbers beside it', (highest, ticks) => {
    const frame = frameOf([{ at: 0, values: [highest] }], MINUTE)
    expect(frame.ticks).toEqual(ticks)
    expect(frame.top).toBe(ticks.at(-1))
  })

  test('of bytes has powers of two', () => {
    const mi = 2 ** 20
    expect(frameOf([{ at: 0, values: [192 * mi] }], MINUTE, 1024).ticks).toEqual([0, 64 * mi, 128 * mi, 192 * mi])
  })

  test('reaches from the first change to now, and never less than a minute', () => {
    expect(frameOf(moments, 4 * MINUTE)).toMatchObject({ from: 0, to: 4 * MINUTE })
    expect(frameOf([{ at: 7, values: [1] }], 8)).toMatchObject({ from: 8 - MINUTE, to: 8 })
    expect(frameOf([], 8).ticks).toEqual([0, 1])
  })
})

describe('a line', () => {
  const scale = scaleIn(frameOf(moments, 4 * MINUTE), { left: 0, right: 400, top: 0, bottom: 60 })

  test('goes in steps up to now', () => {
    expect(stepPath(moments, 1, 4 * MINUTE, scale)).toBe('M0 40H200V40H300V10H400')
  })

  test('ends where nothing is known any more, and begins where something is', () => {
    expect(stepPath(moments, 0, 4 * MINUTE, scale)).toBe('M200 10H300')
    expect(stepPath([], 0, 4 * MINUTE, scale)).toBe('')
  })
})

test('a place belongs to the change before it', () => {
  expect([-1, 0, MINUTE, 2 * MINUTE, 9 * MINUTE].map((at) => indexAt(moments, at))).toEqual([0, 0, 0, 1, 2])
})
