import { expect, test } from 'vitest'
import { manualClock } from '../../kernel/index.ts'
import { eventRing, type Audience, type Reader } from './events.ts'

const member: Reader = { userId: 'm', role: 'member', tenants: ['m', 'acme'] }
const admin: Reader = { userId: 'a', role: 'admin', tenants: ['a'] }
const change = (object_id: string) =>
  ({ topic: 'status', kind: 'Component', object_id, reason: 'Changed', message: '', tone: 'info' }) as const

function ringWith(ids: readonly string[], size?: number) {
  const events = eventRing(manualClock(), size)
  for (const id of ids) events.publish(change(id), 'all')
  return {
    events,
    /** The objects of the events after the one with this id. */
    after: (id: string) => {
      const missed = events.after(id)
      return missed === 'tooOld' ? missed : missed.map(({ event }) => event.object_id)
    },
    idOf: (object: string) => events.recent(admin).find((event) => event.object_id === object)?.id ?? '',
  }
}

test('resuming gives exactly what came after, in order', () => {
  const { after, idOf } = ringWith(['a', 'b', 'c'])
  expect(after(idOf('a'))).toEqual(['b', 'c'])
  expect(after(idOf('c'))).toEqual([])
})

test('an id that fell out of the ring is too old, the one just before it is not', () => {
  const { events, after, idOf } = ringWith(['a', 'b'], 2)
  const [a, b] = [idOf('a'), idOf('b')]
  events.publish(change('c'), 'all')
  expect(after(a)).toEqual(['b', 'c'])
  events.publish(change('d'), 'all')
  expect(after(a)).toBe('tooOld')
  expect(after(b)).toEqual(['c', 'd'])
})

test('a page continues after the last event seen, and is empty when that one is forgotten', () => {
  const { events, idOf } = ringWith(['a', 'b', 'c'], 3)
  const [a, b] = [idOf('a'), idOf('b')]
  expect(events.recent(admin, b)).toMatchObject([{ object_id: 'a' }])
  expect(events.recent(admin, a)).toEqual([])
  for (const object of ['d', 'e']) events.publish(change(object), 'all')
  expect(events.recent(admin, b)).toEqual([])
  expect(() => events.recent(admin, 'nonsense')).toThrow('not valid')
})

test.each(['', 'nonsense', 'ffffffff-1', '-1'])('the id %j of another process is too old', (id) => {
  expect(ringWith(['a']).after(id)).toBe('tooOld')
})

test('an id from the future is not believed', () => {
  const { after, idOf } = ringWith(['a'])
  expect(after(idOf('a').replace(/-\d+$/, '-99'))).toBe('tooOld')
})

test.each<[Audience, string[]]>([
  ['all', ['member', 'stranger', 'admin']],
  ['admins', ['admin']],
  [{ user: 'm' }, ['member']],
  [{ tenants: ['acme'] }, ['member', 'admin']],
  [{ tenants: ['umbrella', 'm'] }, ['member', 'admin']],
  [{ tenants: ['umbrella'] }, ['admin']],
])('a change for %j is seen only by its audience', (audience, seen) => {
  const { events } = ringWith([])
  events.publish(change('x'), audience)
  const stranger: Reader = { userId: 's', role: 'member', tenants: ['s'] }
  const readers = Object.entries({ member, stranger, admin })
  expect(readers.filter(([, reader]) => events.recent(reader).length > 0).map(([name]) => name)).toEqual(seen)
})

test('what was said of an object last is told again, and listed once', () => {
  const { events } = ringWith(['a'])
  const told: string[] = []
  events.onPublish(({ reason }) => told.push(reason))
  const degraded = { ...change('a'), reason: 'Degraded' }
  for (const next of [change('a'), degraded, change('b'), degraded, change('a')]) events.publish(next, 'all')
  expect(told).toEqual(['Changed', 'Degraded', 'Changed', 'Degraded', 'Changed'])
  expect(events.recent(member).map(({ object_id, reason }) => `${object_id} ${reason}`)).toEqual([
    'a Changed',
    'b Changed',
    'a Degraded',
    'a Changed',
  ])
})

test('what was told and not listed is resumed all the same', () => {
  const { events, after, idOf } = ringWith(['a', 'b'])
  events.publish(change('a'), 'all')
  expect(after(idOf('b'))).toEqual(['a'])
})
