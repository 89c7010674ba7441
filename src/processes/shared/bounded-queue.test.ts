import { expect, test } from 'vitest'
import { untilNothingIsDue } from './bounded-queue.ts'
import { manualClock, MemoryQueue } from '../../kernel/index.ts'

const key = (id: string) => ({ kind: 'Deployment', id })

const isOver = (over: Promise<number>): Promise<number | 'not yet'> =>
  Promise.race([over, new Promise<'not yet'>((resolve) => setImmediate(() => resolve('not yet')))])

test('it is over when nothing is due and nothing runs, and not before', async () => {
  const inner = new MemoryQueue({ clock: manualClock() })
  await inner.wake(key('a'), { reason: 'created' })
  await inner.wake(key('b'), { reason: 'created' })
  await inner.wake(key('tomorrow'), { reason: 'retry', afterMs: 86_400_000 })
  const { queue, over } = untilNothingIsDue(inner)

  const claims = await queue.claim('w', 10)
  expect(await queue.claim('w', 10)).toEqual([])
  expect(await isOver(over)).toBe('not yet')
  for (const claim of claims) await queue.finish(claim, { then: 'forget' })
  expect(await isOver(over)).toBe('not yet')
  expect(await queue.claim('w', 10)).toEqual([])
  expect(await isOver(over)).toBe(2)
})

test('wakes by this process are left to other workers', async () => {
  const inner = new MemoryQueue({ clock: manualClock() })
  const { queue, over } = untilNothingIsDue(inner)
  await queue.wake(key('a'), { reason: 'drift' })
  await queue.claim('w', 10)
  expect(await isOver(over)).toBe(0)
})
