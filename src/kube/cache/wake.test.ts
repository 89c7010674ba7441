import { expect, test } from 'vitest'
import { manualClock, type Key, type Wake } from '../../kernel/index.ts'
import type { Change } from './store.ts'
import { controllerOf, itself, specChanged, wakeOn, type WakeOptions, type WakeRule } from './wake.ts'
import type { KubeObject, ObjectMeta, Resource } from '../objects.ts'

const echoes: Resource = { group: 'bench.example', version: 'v1', kind: 'Echo', plural: 'echoes', namespaced: true }

const object = (metadata: Partial<ObjectMeta> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Any',
  metadata: { name: 'a', namespace: 'n', generation: 1, ...metadata },
})
const childOf = (name: string, ref: object = {}): KubeObject =>
  object({
    ownerReferences: [{ apiVersion: 'bench.example/v1', kind: 'Echo', name, uid: 'u', controller: true, ...ref }],
  })

function world(rule: WakeRule<KubeObject>, options: WakeOptions<KubeObject> = {}) {
  const clock = manualClock()
  const woken: string[] = []
  let tell: (change: Change<KubeObject>) => void = () => {}
  let isAway = false
  const queue = {
    async wake({ kind, id }: Key, { reason, tenant }: Wake) {
      if (isAway) throw new Error('queue is away')
      woken.push(`${kind}/${id} ${reason}${tenant === undefined ? '' : ` for ${tenant}`}`)
    },
  }
  const onChange = (listener: typeof tell) => {
    tell = listener
    return () => void (tell = () => {})
  }
  const stop = wakeOn({ onChange }, queue, rule, { ...options, clock })
  const change = (what: Change<KubeObject>) => tell(what)
  return { clock, woken, stop, change, sendAway: (away: boolean) => void (isAway = away) }
}

const key = 'n/a'
const deleting = object({ deletionTimestamp: '2026-01-01T00:00:00Z' })

test.each<[string, Change<KubeObject>, string]>([
  ['the first list', { type: 'added', key, new: object(), via: 'firstList' }, 'Echo/n/a drift'],
  ['a new one', { type: 'added', key, new: object(), via: 'watch' }, 'Echo/n/a created'],
  ['a change', { type: 'changed', key, old: object(), new: object(), via: 'watch' }, 'Echo/n/a changed'],
  ['a deletion begun', { type: 'changed', key, old: object(), new: deleting, via: 'watch' }, 'Echo/n/a deleted'],
  ['a deletion', { type: 'deleted', key, old: object(), via: 'relist' }, 'Echo/n/a deleted'],
])('the thing itself is woken by %s', (_, what, expected) => {
  const { change, woken } = world(itself(echoes))
  change(what)
  expect(woken).toEqual([expected])
})

test('a child wakes the one that controls it, and the one it left', () => {
  const { change, woken } = world(controllerOf(echoes))
  change({ type: 'added', key, new: childOf('x'), via: 'firstList' })
  change({ type: 'changed', key, old: childOf('x'), new: childOf('x'), via: 'watch' })
  change({ type: 'changed', key, old: childOf('x'), new: childOf('y'), via: 'watch' })
  change({ type: 'deleted', key, old: childOf('y'), via: 'watch' })
  expect(woken).toEqual(['x', 'x', 'y', 'x', 'y'].map((name) => `Echo/n/${name} childChanged`))
})

test.each([
  ['no owner', object()],
  ['an owner that does not control it', childOf('x', { controller: false })],
  ['an owner of another kind', childOf('x', { kind: 'Other' })],
  ['an owner of another group', childOf('x', { apiVersion: 'other.example/v1' })],
])('a child with %s wakes no key', (_, child) => {
  const { change, woken } = world(controllerOf(echoes))
  change({ type: 'added', key, new: child, via: 'watch' })
  expect(woken).toEqual([])
})

test('changes of status alone can be left out', () => {
  const { change, woken } = world(itself(echoes), { worth: specChanged })
  change({ type: 'changed', key, old: object(), new: object(), via: 'watch' })
  expect(woken).toEqual([])
  change({ type: 'changed', key, old: object(), new: object({ generation: 2 }), via: 'watch' })
  change({ type: 'changed', key, old: object(), new: deleting, via: 'watch' })
  expect(woken).toEqual(['Echo/n/a changed', 'Echo/n/a deleted'])
})

test('our own writes can be left out', () => {
  const { change, woken } = world(itself(echoes), { ignoreOwnWrites: true })
  change({ type: 'added', key, new: object(), via: 'write' })
  expect(woken).toEqual([])
})

test('a key is woken for its tenant', () => {
  const { change, woken } = world(itself(echoes), { tenant: ({ metadata }) => metadata.namespace })
  change({ type: 'added', key, new: object(), via: 'watch' })
  expect(woken).toEqual(['Echo/n/a created for n'])
})

test('wakes that the queue did not take are repeated with their strongest reason until it does', async () => {
  const { change, woken, clock, sendAway } = world(itself(echoes))
  sendAway(true)
  change({ type: 'deleted', key, old: object(), via: 'watch' })
  change({ type: 'added', key, new: object(), via: 'watch' })
  await clock.advance(5_000)
  sendAway(false)
  await clock.advance(1_000)
  expect(woken).toEqual(['Echo/n/a deleted'])
})

test('nothing is woken after the end', async () => {
  const { change, woken, clock, sendAway, stop } = world(itself(echoes))
  sendAway(true)
  change({ type: 'added', key, new: object(), via: 'watch' })
  await clock.advance(0)
  stop()
  sendAway(false)
  change({ type: 'added', key, new: object(), via: 'watch' })
  await clock.advance(5_000)
  expect(woken).toEqual([])
})
