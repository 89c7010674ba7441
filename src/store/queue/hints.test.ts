import { expect, test } from 'vitest'
import { manualClock } from '../../kernel/index.ts'
import { HintThrottle } from './hints.ts'

test('the first hint is sent at once, those that follow share one, and a wall clock that is set back changes nothing', async () => {
  const manual = manualClock()
  let wall = Date.parse('2030-01-01T00:00:00Z')
  let later = 0
  const throttle = new HintThrottle({ ...manual, now: () => wall }, () => later++)
  expect([throttle.takeNow(), throttle.takeNow(), throttle.takeNow()]).toEqual([true, false, false])
  wall -= 3_600_000
  await manual.advance(10)
  expect(later).toBe(1)
  await manual.advance(10)
  expect(throttle.takeNow()).toBe(true)
  throttle.stop()
})
