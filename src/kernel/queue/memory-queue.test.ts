import { expect, test } from 'vitest'
import { exerciseQueue, LEASE_MS } from '../../../test/conformance/queue.ts'
import { manualClock } from '../clock.ts'
import { MemoryQueue } from './memory-queue.ts'

exerciseQueue('MemoryQueue', async () => {
  const clock = manualClock()
  return { queue: new MemoryQueue({ clock, leaseMs: LEASE_MS }), pass: (ms) => clock.advance(ms) }
})

test('a closed queue leaves no timer behind', async () => {
  const clock = manualClock()
  const timers = new Set<object>()
  const counting = {
    now: () => clock.now(),
    elapsed: () => clock.elapsed(),
    after(ms: number, fn: () => void) {
      const timer = {}
      timers.add(timer)
      const cancel = clock.after(ms, fn)
      return () => (timers.delete(timer), cancel())
    },
  }
  const queue = new MemoryQueue({ clock: counting })
  await queue.wake({ kind: 'Thing', id: 'a' }, { reason: 'retry', afterMs: 60_000 })
  expect(timers.size).toBe(1)
  queue.close()
  await queue.wake({ kind: 'Thing', id: 'b' }, { reason: 'retry', afterMs: 1_000 })
  expect(timers.size).toBe(0)
})
