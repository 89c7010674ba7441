import { expect, test } from 'vitest'
import { manualClock } from '../../kernel/index.ts'
import type { Identity } from '../auth/identity.ts'
import { eventRing } from './events.ts'

const member: Identity = { userId: 'm', email: 'm@x.test', role: 'member', auth: 'dev', byCookie: true }
const admin: Identity = { ...member, role: 'admin' }
const change = (object_id: string) =>
  ({ topic: 'status', kind: 'Component', object_id, reason: 'Changed', message: '', tone: 'info' }) as const

function ringWith(ids: readonly string[], size?: number) {
  const events = eventRing(manualClock(), size)
  for (const id of ids) events.publish(change(id))
  return {
    events,
    idOf: (object: string) => events.recent(admin).find((event) => event.object_id === object)?.id ?? '',
  }
}

test('resuming gives exactly what came after, in order', () => {
  const { events, idOf } = ringWith(['a', 'b', 'c'])
  const after = (object: string) => events.after(idOf(object), member)
  expect(after('a')).toMatchObject([{ object_id: 'b' }, { object_id: 'c' }])
  expect(after('c')).toEqual([])
})

test('an id that fell out of the ring is too old, the one just before it is not', () => {
  const { events, idOf } = ringWith(['a', 'b'], 2)
  const [a, b] = [idOf('a'), idOf('b')]
  events.publish(change('c'))
  expect(events.after(a, member)).toMatchObject([{ object_id: 'b' }, { object_id: 'c' }])
  events.publish(change('d'))
  expect(events.after(a, member)).toBe('tooOld')
  expect(events.after(b, member)).toMatchObject([{ object_id: 'c' }, { object_id: 'd' }])
})

test('a page continues after the last event seen, and is empty when that one is forgotten', () => {
  const { events, idOf } = ringWith(['a', 'b', 'c'], 3)
  const [a, b] = [idOf('a'), idOf('b')]
  expect(events.recent(admin, b)).toMatchObject([{ object_id: 'a' }])
  expect(events.recent(admin, a)).toEqual([])
  for (const object of ['d', 'e']) events.publish(change(object))
  expect(events.recent(admin, b)).toEqual([])
  expect(() => events.recent(admin, 'nonsense')).toThrow('not valid')
})

test.each(['', 'nonsense', 'ffffffff-1', '-1'])('the id %j of another process is too old', (id) => {
  expect(ringWith(['a']).events.after(id, member)).toBe('tooOld')
})

test('an id from the future is not believed', () => {
  const { events, idOf } = ringWith(['a'])
  expect(events.after(idOf('a').replace(/-\d+$/, '-99'), member)).toBe('tooOld')
})

test('a change is seen only by its audience', () => {
  const { events, idOf } = ringWith(['open'])
  events.publish(change('hidden'), ({ role }) => role === 'admin')
  expect(events.recent(member).map((event) => event.object_id)).toEqual(['open'])
  expect(events.after(idOf('open'), member)).toEqual([])
  expect(events.after(idOf('open'), admin)).toHaveLength(1)
})

test('what was said of an object last is told again, and listed once', () => {
  const { events } = ringWith(['a'])
  const told: string[] = []
  events.onPublish(({ reason }) => told.push(reason))
  events.publish(change('a'))
  events.publish({ ...change('a'), reason: 'Degraded' })
  events.publish(change('b'))
  events.publish({ ...change('a'), reason: 'Degraded' })
  events.publish(change('a'))
  expect(told).toEqual(['Changed', 'Degraded', 'Changed', 'Degraded', 'Changed'])
  expect(events.recent(member).map(({ object_id, reason }) => `${object_id} ${reason}`)).toEqual([
    'a Changed',
    'b Changed',
    'a Degraded',
    'a Changed',
  ])
})

test('what was told and not listed is resumed all the same', () => {
  const { events, idOf } = ringWith(['a', 'b'])
  events.publish(change('a'))
  expect(events.after(idOf('b'), member)).toMatchObject([{ object_id: 'a' }])
})
