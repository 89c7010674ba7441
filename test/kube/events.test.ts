import { expect, test } from 'vitest'
import { manualClock } from '../../src/kernel/index.ts'
import {
  ConfigMap,
  Event,
  eventRecorder,
  makeClient,
  withFaults,
  type Happened,
  type KubeRequest,
} from '../../src/kube/index.ts'
import { freshNamespace, testClient, testTransport } from '../support/kube.ts'

const INSTALLED: Happened = {
  type: 'Normal',
  reason: 'InstallSucceeded',
  action: 'Install',
  note: 'installed web as revision 1',
}

async function world() {
  const client = await testClient()
  const namespace = await freshNamespace(client)
  const metadata = { namespace: namespace.name, name: 'web' }
  const about = await client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata })
  const clock = manualClock(Date.now())
  const lost: unknown[] = []
  const recorder = () =>
    eventRecorder({
      client,
      controller: 'caelus.dev/test',
      instance: 'test-0',
      clock,
      onLost: (error) => lost.push(error),
    })
  const events = async () =>
    (await client.list(Event, { namespace: namespace.name })).filter(
      ({ reportingController }) => reportingController === 'caelus.dev/test',
    )
  return {
    about,
    clock,
    lost,
    recorder,
    events,
    async [Symbol.asyncDispose]() {
      await namespace[Symbol.asyncDispose]()
      await client[Symbol.asyncDispose]()
    },
  }
}

test('an Event refers to its object and is in its namespace', async () => {
  await using w = await world()
  const recorder = w.recorder()
  recorder.record(w.about, INSTALLED)
  await recorder.flush()
  const [event] = await w.events()
  expect(event).toMatchObject({
    ...INSTALLED,
    reportingInstance: 'test-0',
    regarding: { kind: 'ConfigMap', name: 'web', uid: w.about.metadata.uid },
  })
  expect(w.lost).toEqual([])
})

test('the same thing said again is one event with a count, also after a restart', async () => {
  await using w = await world()
  const recorder = w.recorder()
  for (let time = 0; time < 5; time++) recorder.record(w.about, INSTALLED)
  await recorder.flush()
  const restarted = w.recorder()
  restarted.record(w.about, INSTALLED)
  await restarted.flush()
  expect((await w.events()).map(({ series }) => series?.count)).toEqual([6])
  expect(w.lost).toEqual([])
})

test('a count does not overtake the event that it counts', async () => {
  await using w = await world()
  await using transport = await testTransport()
  const released = Promise.withResolvers<void>()
  const slow = {
    ...transport,
    send: async (request: KubeRequest) => {
      if (request.method === 'POST') await released.promise
      return transport.send(request)
    },
  }
  const recorder = eventRecorder({
    client: makeClient(slow, { fieldManager: 'test' }),
    controller: 'caelus.dev/test',
    instance: 'test-0',
    clock: w.clock,
    onLost: (error) => w.lost.push(error),
  })
  for (let time = 0; time < 3; time++) recorder.record(w.about, INSTALLED)
  const flushed = recorder.flush()
  expect(await w.events()).toEqual([])
  released.resolve()
  await flushed
  expect((await w.events()).map(({ series }) => series?.count)).toEqual([3])
  expect(w.lost).toEqual([])
})

test('counts are written at intervals while the event repeats', async () => {
  await using w = await world()
  const recorder = w.recorder()
  recorder.record(w.about, INSTALLED)
  await recorder.flush()
  recorder.record(w.about, INSTALLED)
  expect((await w.events())[0]?.series).toBeUndefined()
  await w.clock.advance(30_000)
  recorder.record(w.about, INSTALLED)
  await recorder.flush()
  expect((await w.events())[0]?.series?.count).toBe(3)
})

test('an object that keeps saying new things is cut off, and may go on later', async () => {
  await using w = await world()
  const recorder = w.recorder()
  for (let nth = 0; nth < 40; nth++) recorder.record(w.about, { ...INSTALLED, note: `revision ${nth}` })
  await recorder.flush()
  expect(await w.events()).toHaveLength(25)
  await w.clock.advance(300_000)
  recorder.record(w.about, { ...INSTALLED, note: 'revision 40' })
  recorder.record(w.about, { ...INSTALLED, note: 'revision 41' })
  await recorder.flush()
  expect(await w.events()).toHaveLength(26)
})

test('a long note is shortened to what the server accepts', async () => {
  await using w = await world()
  const recorder = w.recorder()
  recorder.record(w.about, { ...INSTALLED, note: 'ä'.repeat(3_000) })
  await recorder.flush()
  expect(w.lost).toEqual([])
  expect(await w.events()).toHaveLength(1)
})

test('an event that cannot be written does not fail its caller', async () => {
  await using w = await world()
  await using transport = await testTransport()
  const lost: unknown[] = []
  const client = makeClient(
    withFaults(transport, () => ({ fault: 'lost' })),
    { fieldManager: 'test' },
  )
  const recorder = eventRecorder({
    client,
    controller: 'caelus.dev/test',
    instance: 'test-0',
    onLost: (error) => lost.push(error),
  })
  recorder.record(w.about, INSTALLED)
  await recorder.flush()
  expect(lost).toHaveLength(1)
})
