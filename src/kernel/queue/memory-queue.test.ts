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

test('a key that is woken a million times while it is delayed takes one place, not a million', async () => {
  const queue = new MemoryQueue({ clock: manualClock() })
  let mostSlots = 0
  for (let i = 0; i < 1_000_000; i++) {
    await queue.wake({ kind: 'Thing', id: `k${i % 5}` }, { reason: 'childChanged', tenant: 't' })
    const [claim] = await queue.claim('w', 1)
    await queue.finish(claim!, { then: 'again', afterMs: 3_600_000, because: 'waiting' })
    if (i % 997 === 0) mostSlots = Math.max(mostSlots, queue.size().slots)
  }
  expect(queue.size().keys).toBe(5)
  expect(mostSlots).toBeLessThan(100)
})

test('a key that moves between tenants while it is ready takes one place', async () => {
  const queue = new MemoryQueue({ clock: manualClock() })
  for (let i = 0; i < 10_000; i++)
    await queue.wake({ kind: 'Thing', id: 'a' }, { reason: 'changed', tenant: `t${i % 2}` })
  expect(queue.size()).toMatchObject({ keys: 1 })
  expect(queue.size().slots).toBeLessThan(100)
  expect(await queue.claim('w', 5)).toMatchObject([{ tenant: 't1' }])
  expect(await queue.claim('w', 5)).toEqual([])
})

test('tenants whose keys have settled are forgotten', async () => {
  const queue = new MemoryQueue({ clock: manualClock() })
  for (let i = 0; i < 100_000; i++) {
    await queue.wake({ kind: 'Thing', id: 'a' }, { reason: 'created', tenant: `t${i}` })
    const [claim] = await queue.claim('w', 1)
    await queue.finish(claim!, { then: 'forget' })
  }
  expect(queue.size().keys).toBe(0)
  expect(queue.size().tenants).toBeLessThan(100)
})

test('no delayed key is lost or early when stale places are swept', async () => {
  const clock = manualClock()
  const queue = new MemoryQueue({ clock })
  const seconds = Array.from({ length: 200 }, (_, i) => ((i * 37) % 200) + 1)
  for (const afterMs of [1_000_000, 500_000, 1_000]) {
    for (const second of seconds)
      await queue.wake({ kind: 'Thing', id: `k${second}` }, { reason: 'drift', afterMs: afterMs * second })
  }
  expect(queue.size().slots).toBeLessThan(500)
  const due: string[] = []
  for (let second = 1; second <= 200; second++) {
    await clock.advance(1_000)
    for (const claim of await queue.claim('w', 10)) {
      due.push(claim.key.id)
      await queue.finish(claim, { then: 'forget' })
    }
  }
  expect(due).toEqual(Array.from({ length: 200 }, (_, i) => `k${i + 1}`))
})

test('a wall clock that steps back delays neither delayed keys nor the end of a lease', async () => {
  const clock = manualClock()
  let step = 0
  const queue = new MemoryQueue({ clock: { ...clock, now: () => clock.now() + step }, leaseMs: LEASE_MS })
  await queue.wake({ kind: 'Thing', id: 'leased' }, { reason: 'changed' })
  await queue.claim('dead', 1)
  await queue.wake({ kind: 'Thing', id: 'delayed' }, { reason: 'changed', afterMs: 10_000 })
  step = -3_600_000
  await clock.advance(LEASE_MS)
  expect((await queue.claim('alive', 5)).map(({ key }) => key.id).toSorted()).toEqual(['delayed', 'leased'])
})
