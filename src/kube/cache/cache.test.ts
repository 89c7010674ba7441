import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { things, UnrulyServer, type Thing } from '../../../test/kube/watch/unruly-server.ts'
import { createEmitter, manualClock, seededRandom, type ManualClock } from '../../kernel/index.ts'
import type { Change } from './store.ts'
import { cache, type Cache, type CacheSpec } from './cache.ts'
import type { WatchEvent, WatchSource } from '../client/client.ts'
import { at, type KubeObject } from '../objects.ts'
import { compareVersions } from '../watch/version.ts'
import type { WatchEvents } from '../watch/events.ts'

interface World {
  readonly server: UnrulyServer
  readonly clock: ManualClock
  readonly cached: Cache<Thing>
  readonly changes: Change<Thing>[]
  readonly behind: WatchEvents['watch:behind'][]
  readonly pass: (ms: number) => Promise<void>
}

function world(spec: Partial<CacheSpec<Thing, Thing>> = {}, seed = 1): World {
  const server = new UnrulyServer()
  const clock = manualClock()
  const changes: Change<Thing>[] = []
  const behind: WatchEvents['watch:behind'][] = []
  const say = createEmitter<WatchEvents>()
  say.on('watch:behind', (what) => behind.push(what))
  const cached = cache<Thing>(
    { source: server, clock, emitter: say, random: seededRandom(seed) },
    { resource: things, ...spec },
  )
  cached.onChange((change) => changes.push(change))
  const pass = async (ms: number): Promise<void> => {
    await clock.advance(ms)
    await new Promise(setImmediate)
  }
  return { server, clock, cached, changes, behind, pass }
}

const A = { namespace: 'test', name: 'a' }
const inWords = (change: Change<Thing>): string => `${change.via} ${change.type} ${change.key}`
const texts = (cached: Cache<Thing>): Record<string, string> =>
  Object.fromEntries(cached.list().map(({ metadata, spec }) => [metadata.name, spec.text]))

/** Reconnects, relists and read-backs have all had their time after this. */
const LONG_ENOUGH_MS = 300_000

test('returns the objects of the server, and reports each difference once', async () => {
  const { server, cached, changes, pass } = world()
  server.put('a', '1')
  await cached.start()
  server.put('a', '2')
  server.put('b', '1')
  server.remove('b')
  await pass(0)
  expect(texts(cached)).toEqual({ a: '2' })
  expect(changes.map(inWords)).toEqual([
    'firstList added test/a',
    'watch changed test/a',
    'watch added test/b',
    'watch deleted test/b',
  ])
  await cached.stop()
})

test('an object deleted in a gap is reported as deleted, and its successor of the same name as added', async () => {
  const { server, cached, changes, behind, pass } = world()
  for (const name of ['a', 'b', 'c']) server.put(name, '1')
  await cached.start()
  changes.length = 0
  server.swallow()
  server.remove('a')
  server.remove('b')
  server.put('b', '2')
  server.compact()
  await pass(60_000)
  expect(texts(cached)).toEqual({ b: '2', c: '1' })
  expect(changes.map(inWords)).toEqual(['relist deleted test/b', 'relist added test/b', 'relist deleted test/a'])
  expect(behind).toEqual([{ resource: 'things.test.caelus.dev', foundBy: 'expired', missed: 2, overdue: 1 }])
  await cached.stop()
})

test('indexes follow every change', async () => {
  const { server, cached, pass } = world({ indexes: { text: ({ spec }) => [spec.text] } })
  server.put('a', 'red')
  server.put('b', 'red')
  await cached.start()
  const named = (text: string): string[] => cached.byIndex('text', text).map(({ metadata }) => metadata.name)
  expect(named('red')).toEqual(['a', 'b'])
  server.put('a', 'blue')
  server.remove('b')
  await pass(0)
  expect([named('red'), named('blue')]).toEqual([[], ['a']])
  expect(() => cached.byIndex('colour', 'red')).toThrow(
    'failed to look up by colour: the cache has no such index, only text',
  )
  await cached.stop()
})

test('a listener that throws does not affect the others', async () => {
  const { server, cached, changes, pass } = world()
  cached.onChange(() => {
    throw new Error('bad listener')
  })
  cached.onChange((change) => changes.push(change))
  await cached.start()
  server.put('a', '1')
  await pass(0)
  expect(changes.map(inWords)).toEqual(['watch added test/a', 'watch added test/a'])
  await cached.stop()
})

test('our own write is read at once and its echo changes nothing', async () => {
  const { server, cached, changes, pass } = world()
  server.put('a', '1')
  await cached.start()
  server.swallow()
  cached.wrote(server.put('a', '2'))
  expect(cached.get(A)?.spec.text).toBe('2')
  await pass(9_000)
  server.end()
  server.reset()
  await pass(LONG_ENOUGH_MS)
  expect(changes.map(inWords)).toEqual(['firstList added test/a', 'write changed test/a'])
  await cached.stop()
})

test('an event from before our write does not undo it', async () => {
  const { server, cached, pass } = world()
  server.put('a', '1')
  await cached.start()
  server.put('a', '2')
  cached.wrote(server.put('a', '3'))
  const seen: string[] = []
  cached.onChange(() => seen.push(cached.get(A)?.spec.text ?? 'gone'))
  await pass(0)
  expect([seen, cached.get(A)?.spec.text]).toEqual([[], '3'])
  server.put('a', '4')
  await pass(0)
  expect(cached.get(A)?.spec.text).toBe('4')
  await cached.stop()
})

test('an answer that comes later than the watch is ignored', async () => {
  const { server, cached, pass } = world()
  await cached.start()
  const answer = server.put('a', '1')
  server.put('a', '2')
  await pass(0)
  cached.wrote(answer)
  expect(cached.get(A)?.spec.text).toBe('2')
  server.remove('a')
  await pass(0)
  cached.wrote(answer)
  expect(cached.get(A)).toBeUndefined()
  await cached.stop()
})

test('our own deletion is read at once, and a successor shows', async () => {
  const { server, cached, changes, pass } = world()
  const old = server.put('a', '1')
  await cached.start()
  server.put('a', '2')
  server.remove('a')
  cached.deleted(A, old.metadata.uid ?? '')
  expect(cached.get(A)).toBeUndefined()
  await pass(0)
  server.put('a', '3')
  await pass(0)
  expect(changes.map(inWords)).toEqual(['firstList added test/a', 'write deleted test/a', 'watch added test/a'])
  await cached.stop()
})

test('a deletion that finalizers hold shows the object with its deletionTimestamp, not its absence', async () => {
  const { server, cached, changes } = world()
  const { apiVersion, kind, metadata, spec } = server.put('a', '1')
  await cached.start()
  const version = String(Number(metadata.resourceVersion) + 1)
  const remaining = {
    apiVersion,
    kind,
    metadata: { ...metadata, resourceVersion: version, deletionTimestamp: '2030-01-01T00:00:00Z', finalizers: ['x'] },
    spec,
  }
  cached.deleted(A, metadata.uid ?? '', remaining)
  expect(cached.get(A)?.metadata.deletionTimestamp).toBe('2030-01-01T00:00:00Z')
  expect(changes.map(inWords)).toEqual(['firstList added test/a', 'write changed test/a'])
  await cached.stop()
})

test.each([
  ['an object', (server: UnrulyServer) => void server],
  ['its absence', (server: UnrulyServer) => server.remove('a')],
])('a read-back of %s that a later write of ours overtook is dropped', async (_what, then) => {
  const server = new UnrulyServer()
  const clock = manualClock()
  let travels: Promise<void> | undefined
  const source: WatchSource = {
    watchEvents: server.watchEvents.bind(server) as WatchSource['watchEvents'],
    async listPage(resource, options) {
      const page = await server.listPage(resource, options)
      await travels
      return page
    },
  }
  const deps = { source, clock, emitter: createEmitter<WatchEvents>(), random: seededRandom(1) }
  const cached = cache<Thing>(deps, { resource: things })
  await cached.start()
  server.swallow()
  cached.wrote(server.put('a', '1'))
  then(server)
  const answer = Promise.withResolvers<void>()
  travels = answer.promise
  await clock.advance(10_000)
  cached.wrote(server.put('a', '2'))
  answer.resolve()
  await clock.advance(0)
  expect(cached.get(A)?.spec.text).toBe('2')
  await cached.stop()
})

test('a write that the watch never shows is read back, and everything is listed if it stays behind', async () => {
  const { server, cached, behind, pass } = world({ timings: { idleMs: 600_000 } })
  server.put('a', '1')
  await cached.start()
  server.swallow()
  cached.wrote(server.put('a', '2'))
  server.put('a', '3')
  await pass(10_000)
  expect(cached.get(A)?.spec.text).toBe('3')
  expect(behind).toMatchObject([{ foundBy: 'read', missed: 1 }])
  server.put('b', '1')
  await pass(10_000)
  expect(texts(cached)).toEqual({ a: '3', b: '1' })
  expect(behind).toMatchObject([{ foundBy: 'read' }, { foundBy: 'behind', missed: 1 }])
  await cached.stop()
})

/** A stream that says exactly this, after an empty list. */
const saying = (...events: readonly [type: 'ADDED' | 'DELETED', version: string, uid: string][]): WatchSource => ({
  listPage: () => Promise.reject(new Error('not expected')),
  async *watchEvents<T extends KubeObject>(): AsyncGenerator<WatchEvent<T>> {
    const listed = { name: '', resourceVersion: '10', annotations: { 'k8s.io/initial-events-end': 'true' } }
    yield { type: 'BOOKMARK', object: { apiVersion: 'v1', kind: 'Thing', metadata: listed } }
    for (const [type, resourceVersion, uid] of events) {
      const object: KubeObject = { apiVersion: 'v1', kind: 'Thing', metadata: { ...A, uid, resourceVersion } }
      yield { type, object: object as T }
    }
    await new Promise(() => {})
  },
})

const hearing = async (source: WatchSource): Promise<string[]> => {
  const cached = cache<Thing>({ source, clock: manualClock(), emitter: createEmitter() }, { resource: things })
  await cached.start()
  await new Promise(setImmediate)
  return cached.list().map(({ metadata }) => `${metadata.uid}@${metadata.resourceVersion}`)
}

test('a repeated deletion does not remove an object that entered the selection again', async () => {
  const source = saying(['ADDED', '11', 'u1'], ['DELETED', '12', 'u1'], ['ADDED', '13', 'u1'], ['DELETED', '12', 'u1'])
  expect(await hearing(source)).toEqual(['u1@13'])
})

test('the deletion of a predecessor does not remove its successor, even where versions cannot be compared', async () => {
  const source = saying(['ADDED', 'x', 'u1'], ['ADDED', 'y', 'u2'], ['DELETED', 'z', 'u1'])
  expect(await hearing(source)).toEqual(['u2@y'])
})

test('a deleted object that still has the version of its last change is removed', async () => {
  expect(await hearing(saying(['ADDED', '11', 'u1'], ['DELETED', '11', 'u1']))).toEqual([])
})

test('a written object that is not in the selection does not stay', async () => {
  const { server, cached, pass } = world()
  await cached.start()
  const elsewhere = server.put('a', '1')
  server.things.delete('a')
  cached.wrote({ ...elsewhere, metadata: { ...elsewhere.metadata, resourceVersion: '99' } })
  expect(cached.size).toBe(1)
  await pass(10_000)
  expect(cached.size).toBe(0)
  await cached.stop()
})

const name = fc.constantFrom('a', 'b', 'c', 'd')
const command = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('put' as const), name, ours: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), name, ours: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(0, 300, 2_000, 20_000, 60_000) }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('bookmark', 'compact', 'end', 'reset', 'swallow') }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('fail' as const),
      codes: fc.array(fc.constantFrom(0, 410, 429, 500), { maxLength: 6 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('repeat' as const), count: fc.integer({ min: 0, max: 5 }) }) },
)

test('after any gaps, losses and repetitions the cache equals the server, and its changes add up to it', async () => {
  const script = fc.array(command, { maxLength: 40 })
  const property = fc.asyncProperty(script, fc.boolean(), fc.integer(), async (commands, streams, seed) => {
    const { server, cached, changes, pass } = world({}, seed)
    server.streamsLists = streams
    server.put('a', 'first')
    const started = cached.start()
    const ours = new Map<string, Thing>()
    for (const [turn, one] of commands.entries()) {
      switch (one.do) {
        case 'put': {
          const written = server.put(one.name, `turn ${turn}`)
          if (!one.ours) break
          cached.wrote(written)
          ours.set(one.name, written)
          break
        }
        case 'remove': {
          const gone = server.remove(one.name)
          if (gone === undefined || !one.ours) break
          const known = cached.get(at(gone))?.metadata.uid === gone.metadata.uid
          cached.deleted(at(gone), gone.metadata.uid ?? '')
          if (known) expect(cached.get(at(gone))).toBeUndefined()
          break
        }
        case 'pass':
          await pass(one.ms)
          break
        case 'fail':
          server.fail(...one.codes)
          break
        case 'repeat':
          server.repeats = one.count
          break
        case 'bookmark':
        case 'compact':
        case 'end':
        case 'reset':
        case 'swallow':
          server[one.do]()
          break
        default:
          one satisfies never
      }
      for (const written of ours.values()) expectNotOlder(cached, server, written)
    }
    server.calmDown()
    for (let i = 0; i < 10; i++) await pass(LONG_ENOUGH_MS / 10)
    await started
    expect(new Map(cached.list().map((thing) => [thing.metadata.name, thing]))).toEqual(server.things)
    expect(sumOf(changes)).toEqual(new Map(cached.list().map((thing) => [`test/${thing.metadata.name}`, thing])))
    await cached.stop()
    expect(server.openStreams).toBe(0)
  })
  await fc.assert(property, { numRuns: 300 })
})

/** Read your own writes: as long as the object lives, no version before ours is given out. */
function expectNotOlder(cached: Cache<Thing>, server: UnrulyServer, written: Thing): void {
  const { uid, resourceVersion } = written.metadata
  if (server.things.get(written.metadata.name)?.metadata.uid !== uid) return
  expect(compareVersions(cached.get(at(written))?.metadata.resourceVersion, resourceVersion)).toBeGreaterThanOrEqual(0)
}

/** What a listener holds who only ever heard the changes; fails if one of them could not follow the one before. */
function sumOf(changes: readonly Change<Thing>[]): Map<string, Thing> {
  const held = new Map<string, Thing>()
  const newest = new Map<string, string>()
  for (const change of changes) {
    if (change.type !== 'deleted') {
      const { resourceVersion } = change.new.metadata
      expect(compareVersions(resourceVersion, newest.get(change.key) ?? '1')).toBeGreaterThan(0)
      newest.set(change.key, resourceVersion ?? '')
    }
    const known = held.get(change.key)
    expect(known).toBe(change.type === 'added' ? undefined : change.old)
    if (change.type === 'deleted') held.delete(change.key)
    else held.set(change.key, change.new)
    if (change.type === 'changed') expect(change.new.metadata.uid).toBe(change.old.metadata.uid)
  }
  return held
}
