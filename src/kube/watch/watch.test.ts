import { expect, test } from 'vitest'
import { things, UnrulyServer, type Thing } from '../../../test/kube/watch/unruly-server.ts'
import { createEmitter, manualClock, type Emitter, type ManualClock } from '../../kernel/index.ts'
import type { WatchSource } from '../client/client.ts'
import type { WatchEvents } from './events.ts'
import { watch, type Watch } from './watch.ts'

const IDLE_MS = 55_000

interface World {
  readonly server: UnrulyServer
  readonly clock: ManualClock
  readonly running: Watch
  /** The calls of the sink, as text. */
  readonly told: string[]
  readonly heard: string[]
  readonly pass: (ms: number) => Promise<void>
  readonly emitter: Emitter<WatchEvents>
}

function world(source?: (server: UnrulyServer) => WatchSource, wallClock?: () => number): World {
  const server = new UnrulyServer()
  const manual = manualClock()
  const clock = wallClock === undefined ? manual : { ...manual, now: wallClock }
  const told: string[] = []
  const heard: string[] = []
  const say = createEmitter<WatchEvents>()
  say.on('watch:connected', ({ objects }) => heard.push(`connected with ${objects}`))
  say.on('watch:reconnected', ({ why }) => heard.push(`reconnected: ${why}`))
  say.on('watch:relisted', ({ why }) => heard.push(`relisted: ${why}`))
  say.on('watch:idle', () => heard.push('idle'))
  say.on('watch:error', ({ failures, retryInMs }) => heard.push(`error ${failures}, again in ${retryInMs}`))
  let listed = 0
  const running = watch<Thing>(
    { source: source?.(server) ?? server, clock, emitter: say, random: () => 0.5 },
    {
      resource: things,
      sink: {
        begin: () => void (listed = 0),
        listed: (objects) => void (listed += objects.length),
        unlisted: () => listed--,
        complete() {
          told.push(`all ${listed}`)
          return { objects: listed, missed: 0, overdue: 0 }
        },
        put: ({ metadata }) => told.push(`put ${metadata.name}`),
        remove: ({ metadata }) => told.push(`remove ${metadata.name}`),
      },
    },
  )
  const pass = async (ms: number): Promise<void> => {
    await clock.advance(ms)
    await new Promise(setImmediate)
  }
  return { server, clock, running, told, heard, pass, emitter: say }
}

test('one stream brings the list and then every change', async () => {
  const { server, running, told, pass, heard } = world()
  server.put('a', '1')
  server.put('b', '1')
  await running.start()
  server.put('c', '1')
  server.remove('a')
  await pass(0)
  expect(told).toEqual(['all 2', 'put c', 'remove a'])
  expect(heard).toEqual(['connected with 2'])
  expect(server.calls).toEqual({ list: 0, watch: 1 })
  await running.stop()
  expect(server.openStreams).toBe(0)
})

test('a server that refuses to stream lists is read in pages, and is not asked to stream again', async () => {
  const { server, running, told, pass } = world()
  server.streamsLists = false
  for (const name of ['a', 'b', 'c', 'd', 'e']) server.put(name, '1')
  await running.start()
  expect(told).toEqual(['all 5'])
  expect(server.calls).toEqual({ list: 3, watch: 2 })
  running.relist('audit')
  await pass(0)
  expect(told).toEqual(['all 5', 'all 5'])
  await running.stop()
  expect(server.calls.list).toBe(6)
})

test('a server that ignores the wish to stream the list is found out by its silence', async () => {
  const { server, running, told, heard, pass } = world((inner) => ({
    listPage: inner.listPage.bind(inner),
    watchEvents: (resource, { sendInitialEvents, ...options }, signal) =>
      inner.watchEvents(resource, sendInitialEvents ? { ...options, resourceVersion: '10' } : options, signal),
  }))
  server.put('a', '1')
  const started = running.start()
  await pass(15_000)
  await started
  expect(told).toEqual(['all 1'])
  expect(heard).toEqual(['idle', 'connected with 1'])
  await running.stop()
})

test('a connection that swallows everything is replaced after the idle time, and nothing is missed', async () => {
  const { server, running, told, heard, pass } = world()
  await running.start()
  server.swallow()
  server.put('a', '1')
  await pass(IDLE_MS - 1)
  expect(told).toEqual(['all 0'])
  await pass(1)
  expect(told).toEqual(['all 0', 'put a'])
  expect(heard).toEqual(['connected with 0', 'idle', 'reconnected: idle'])
  await running.stop()
})

test('a relist requested between two connections starts at once', async () => {
  const { server, running, told, heard, pass, emitter } = world()
  await running.start()
  const stop = emitter.on('watch:idle', () => {
    stop()
    running.relist('audit')
  })
  server.swallow()
  server.put('a', '1')
  await pass(IDLE_MS)
  expect(told).toEqual(['all 0', 'all 1'])
  expect(heard).toEqual(['connected with 0', 'idle', 'relisted: audit'])
  await pass(IDLE_MS)
  expect(heard).toEqual(['connected with 0', 'idle', 'relisted: audit', 'idle', 'reconnected: idle'])
  await running.stop()
})

test('a wall clock that is set back does not prolong the idle time', async () => {
  let wall = Date.parse('2030-01-01T00:00:00Z')
  const { server, running, heard, pass } = world(undefined, () => wall)
  await running.start()
  wall -= 3_600_000
  server.swallow()
  await pass(IDLE_MS)
  expect(heard).toEqual(['connected with 0', 'idle', 'reconnected: idle'])
  await running.stop()
})

test('a server restored from a backup is found out when the watch from its future falls silent', async () => {
  const { server, running, told, heard, pass } = world()
  server.put('a', '1')
  const restore = server.backUp()
  await running.start()
  for (const name of ['b', 'c', 'd']) server.put(name, '1')
  await pass(0)
  restore()
  server.put('e', '1')
  await pass(0)
  expect(told).toEqual(['all 1', 'put b', 'put c', 'put d'])
  await pass(IDLE_MS)
  expect(told.at(-1)).toBe('all 2')
  expect(heard).toEqual(['connected with 1', 'reconnected: ended', 'idle', 'reconnected: idle', 'relisted: rewound'])
  server.put('f', '1')
  await pass(0)
  expect(told.at(-1)).toBe('put f')
  await running.stop()
})

test('a silent watch asks for the version of the server, and continues', async () => {
  const { server, running, told, heard, pass } = world()
  await running.start()
  await pass(IDLE_MS)
  server.fail(503)
  await pass(IDLE_MS)
  server.put('a', '1')
  await pass(0)
  expect(heard).toEqual(['connected with 0', 'idle', 'reconnected: idle', 'idle', 'reconnected: idle'])
  expect([told.at(-1), server.calls.list]).toEqual(['put a', 2])
  await running.stop()
})

test('bookmarks and events push the idle time out', async () => {
  const { server, running, heard, pass } = world()
  await running.start()
  for (let i = 0; i < 5; i++) {
    await pass(IDLE_MS - 1)
    if (i % 2 === 0) server.bookmark()
    else server.put('a', String(i))
    await pass(0)
  }
  expect(heard).toEqual(['connected with 0'])
  await running.stop()
})

test('a connection that ignores its abort signal is abandoned', async () => {
  let opened = 0
  const { running, heard, pass, server } = world((inner) => ({
    listPage: inner.listPage.bind(inner),
    watchEvents(resource, options, signal) {
      if (++opened !== 2) return inner.watchEvents(resource, options, signal)
      const never = new Promise<never>(() => {})
      return { [Symbol.asyncIterator]: () => ({ next: () => never }) }
    },
  }))
  await running.start()
  server.end()
  await pass(0)
  server.put('a', '1')
  await pass(IDLE_MS)
  expect(heard).toEqual(['connected with 0', 'idle', 'reconnected: idle'])
  await running.stop()
})

test('a lost history leads to a list after a short spread', async () => {
  const { server, running, told, heard, pass } = world()
  await running.start()
  server.swallow()
  server.put('a', '1')
  server.compact()
  await pass(IDLE_MS)
  expect(told).toEqual(['all 0'])
  await pass(1_000)
  expect(told).toEqual(['all 0', 'all 1'])
  expect(heard).toEqual(['connected with 0', 'idle', 'relisted: expired'])
  await running.stop()
})

test('errors are retried after growing pauses for as long as they last', async () => {
  const { server, running, told, heard, pass } = world()
  await running.start()
  server.fail(500, 429, 503, 403, 404, 500, 500)
  server.reset()
  await pass(61_000)
  server.put('a', '1')
  await pass(0)
  expect(told).toEqual(['all 0', 'put a'])
  expect(heard).toEqual([
    'connected with 0',
    'error 1, again in 500',
    'error 2, again in 1000',
    'error 3, again in 2000',
    'error 4, again in 4000',
    'error 5, again in 8000',
    'error 6, again in 15000',
    'error 7, again in 15000',
    'error 8, again in 15000',
    'reconnected: failure',
  ])
  await running.stop()
})

test('it is current once listed, until the connection is lost, and again when the server has accepted the next one', async () => {
  const { server, running, pass } = world()
  expect(running.isCurrent).toBe(false)
  await running.start()
  expect(running.isCurrent).toBe(true)
  server.fail(500, 500)
  server.reset()
  await pass(0)
  expect(running.isCurrent).toBe(false)
  await pass(600)
  expect(running.isCurrent).toBe(false)
  await pass(10_000)
  expect(running.isCurrent).toBe(true)
  await running.stop()
  expect(running.isCurrent).toBe(false)
})

test('after a list in pages it is current once the server has accepted the watch', async () => {
  const accept = Promise.withResolvers<void>()
  const { server, running, pass } = world((inner) => ({
    listPage: inner.listPage.bind(inner),
    async *watchEvents(resource, options, signal) {
      if (options.sendInitialEvents !== true) await accept.promise
      yield* inner.watchEvents(resource, options, signal)
    },
  }))
  server.streamsLists = false
  await running.start()
  await pass(1_000)
  expect(running.isCurrent).toBe(false)
  accept.resolve()
  await pass(0)
  expect(running.isCurrent).toBe(true)
  await running.stop()
})

test('a connection that the server has not accepted is not current', async () => {
  let opened = 0
  const accept = Promise.withResolvers<void>()
  const { server, running, pass, heard } = world((inner) => ({
    listPage: inner.listPage.bind(inner),
    async *watchEvents(resource, options, signal) {
      if (++opened === 2) await accept.promise
      yield* inner.watchEvents(resource, options, signal)
    },
  }))
  await running.start()
  server.end()
  await pass(1_000)
  expect([running.isCurrent, heard]).toEqual([false, ['connected with 0']])
  accept.resolve()
  await pass(0)
  expect([running.isCurrent, heard]).toEqual([true, ['connected with 0', 'reconnected: ended']])
  await running.stop()
})

test('a server that is unreachable at the start is waited for', async () => {
  const { server, running, told, pass } = world()
  server.fail(503, 503, 503)
  const started = running.start()
  await pass(4_000)
  await started
  expect(told).toEqual(['all 0'])
  await running.stop()
})

test('everything is listed again once in a while', async () => {
  const { server, running, heard, pass } = world()
  await running.start()
  for (let minute = 0; minute < 61; minute++) {
    server.bookmark()
    await pass(30_000)
    server.bookmark()
    await pass(30_000)
  }
  expect(heard).toEqual(['connected with 0', 'relisted: audit'])
  await running.stop()
})

test('it can be stopped in the middle of a pause', async () => {
  const { server, running, pass } = world()
  await running.start()
  server.fail(500)
  server.reset()
  await pass(0)
  await running.stop()
  await pass(60_000)
  expect(server.calls.watch).toBe(1)
})
