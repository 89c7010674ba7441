import { expect, test } from 'vitest'
import { exerciseQueue, LEASE_MS } from '../../../test/conformance/queue.ts'
import { manualClock } from '../../kernel/index.ts'
import { FakePostgresQueue } from './queue.ts'
import { Table } from './table.ts'

exerciseQueue('FakePostgresQueue', async () => {
  const clock = manualClock()
  return { queue: new FakePostgresQueue({ clock, leaseMs: LEASE_MS }), pass: (ms) => clock.advance(ms) }
})

test('a trigger wakes in the transaction of its row: both are there or neither', async () => {
  const queue = new FakePostgresQueue({ clock: manualClock() })
  const table = new Table<{ readonly id: string }>()
  table.onChange(({ id }) => void queue.wake({ kind: 'Row', id }, { reason: 'changed' }))
  const failing = table.inTransaction(async (rows) => {
    rows.put('a', { id: 'a' })
    throw new Error('rolled back')
  })
  await expect(failing).rejects.toThrow('rolled back')
  expect(await queue.claim('w', 1)).toEqual([])
  let claims: Promise<unknown[]> = Promise.resolve([])
  table.onChange(() => void (claims = queue.claim('w', 1)))
  await table.inTransaction(async (rows) => rows.put('a', { id: 'a' }))
  expect(await claims).toHaveLength(1)
})

test('knows the fence of the newest claim of a key', async () => {
  const clock = manualClock()
  const queue = new FakePostgresQueue({ clock, leaseMs: LEASE_MS })
  const key = { kind: 'Row', id: 'a' }
  expect(queue.fenceOf(key)).toBeUndefined()
  await queue.wake(key, { reason: 'changed' })
  const [first] = await queue.claim('w', 1)
  expect(queue.fenceOf(key)).toBe(first?.fence)
  await clock.advance(LEASE_MS + 1)
  const [second] = await queue.claim('w', 1)
  expect(second?.fence).toBeGreaterThan(first?.fence ?? 0)
  expect(queue.fenceOf(key)).toBe(second?.fence)
})
