import { expect, test } from 'vitest'
import { manualClock } from '../../kernel/index.ts'
import type { DecisionView } from '../contract/index.ts'
import { publishDecisions } from './decisions.ts'
import { eventRing, type Reader } from './events.ts'

const admin: Reader = { userId: 'a', role: 'admin', tenants: ['a'] }
const member: Reader = { userId: 'm', role: 'member', tenants: ['m'] }

const view = (id: number): DecisionView => ({
  id: String(id),
  at: '2030-01-01T00:00:00.000Z',
  controller: 'echo',
  kind: 'Echo',
  object_id: `o${id}`,
  decision: 'apply',
  because: '',
  outcome: 'settled',
  failure: null,
  ms: 1,
  attempt: 0,
  repeats: 0,
  last_at: '2030-01-01T00:00:00.000Z',
})

function world() {
  const clock = manualClock()
  const events = eventRing(clock)
  const table = [view(1), view(2)]
  let reads = 0
  let notify: (payload?: string) => void = () => {}
  const errors: unknown[] = []
  let broken = false
  const stop = publishDecisions({
    listener: { subscribe: (_, onNotice) => ((notify = onNotice), () => (notify = () => {})) },
    decisions: {
      newest: async () => table.at(-1)?.id ?? '0',
      list: async ({ since = '' }, { limit }) => {
        reads += 1
        if (broken) throw new Error('the database is away')
        const items = table.filter(({ id }) => Number(id) > Number(since)).toReversed()
        return { items: items.slice(0, limit), next: null }
      },
    },
    events,
    clock,
    onError: (error) => errors.push(error),
  })
  return {
    clock,
    errors,
    stop,
    notify: () => notify(''),
    connect: () => notify(),
    add: (...ids: number[]) => table.push(...ids.map(view)),
    seen: (who = admin) => events.recent(who).map(({ object_id }) => object_id),
    reads: () => reads,
    fail: (is: boolean) => void (broken = is),
  }
}

test('decisions that were there before are no news; new ones are published to admins only', async () => {
  const w = world()
  w.connect()
  await w.clock.advance(0)
  expect(w.seen()).toEqual([])
  w.add(3, 4)
  w.notify()
  await w.clock.advance(1_000)
  expect(w.seen()).toEqual(['o4', 'o3'])
  expect(w.seen(member)).toEqual([])
})

test('a thousand notices in a second are two reads, and the last one is never missed', async () => {
  const w = world()
  w.connect()
  await w.clock.advance(5_000)
  for (let n = 3; n < 1_003; n++) {
    w.add(n)
    w.notify()
    await w.clock.advance(1)
  }
  await w.clock.advance(1_000)
  expect(w.reads()).toBe(2)
  expect(w.seen()[0]).toBe('o1002')
})

test('what was missed while disconnected, or could not be read, is read later', async () => {
  const w = world()
  w.connect()
  await w.clock.advance(5_000)
  w.add(3)
  w.connect()
  await w.clock.advance(1_000)
  expect(w.seen()).toEqual(['o3'])
  w.fail(true)
  w.add(4)
  w.notify()
  await w.clock.advance(1_000)
  expect(w.errors).toHaveLength(1)
  w.fail(false)
  w.add(5)
  w.notify()
  await w.clock.advance(1_000)
  expect(w.seen()).toEqual(['o5', 'o4', 'o3'])
  w.stop()
  w.add(6)
  w.notify()
  await w.clock.advance(1_000)
  expect(w.seen()[0]).toBe('o5')
})
