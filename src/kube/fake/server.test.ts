import { expect, test } from 'vitest'
import { manualClock, seededRandom } from '../../kernel/index.ts'
import type { WatchEvent } from '../client/client.ts'
import { isGone } from '../errors.ts'
import { makeClient } from '../client/make-client.ts'
import { FakeKubernetes } from './server.ts'

const things = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true }

function world(seed = 1) {
  const clock = manualClock()
  const cluster = new FakeKubernetes({ clock, random: seededRandom(seed) })
  const client = makeClient(cluster.transport(), { fieldManager: 'test' })
  const make = (name: string) =>
    client.create(things, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } })
  const events: WatchEvent[] = []
  const ending = new AbortController()
  const watch = async (options: object): Promise<void> => {
    for await (const event of client.watchEvents(things, { namespace: 'default', ...options }, ending.signal)) {
      events.push(event)
    }
  }
  return { clock, cluster, client, make, watch, events, ending }
}

test('a watch from before a compaction gets 410', async () => {
  const { cluster, make, watch, events } = world()
  const first = await make('a')
  await make('b')
  cluster.compact()
  await watch({ resourceVersion: first.metadata.resourceVersion })
  expect(events).toMatchObject([{ type: 'ERROR', object: { code: 410, reason: 'Expired' } }])
})

test('a page from before a compaction has expired, and the client lists anew', async () => {
  const { cluster, client, make } = world()
  await make('a')
  await make('b')
  const page = await client.listPage(things, { namespace: 'default', limit: 1 })
  await make('c')
  cluster.compact()
  const next = client.listPage(things, { namespace: 'default', limit: 1, continueToken: page.continueToken ?? '' })
  await expect(next).rejects.toSatisfy(isGone)
  expect(await client.list(things, { namespace: 'default' })).toHaveLength(3)
})

test('a bookmark carries the version of the latest write, of whatever kind', async () => {
  const { cluster, make, watch, events, ending, clock } = world()
  await make('a')
  const watching = watch({ resourceVersion: String(cluster.version) })
  await clock.advance(0)
  cluster.bookmark()
  await clock.advance(0)
  ending.abort()
  await watching
  expect(events).toMatchObject([
    { type: 'BOOKMARK', object: { metadata: { resourceVersion: String(cluster.version) } } },
  ])
})

test('a broken watch rejects, one whose time is up ends quietly', async () => {
  const { cluster, watch, clock } = world()
  const broken = watch({})
  const timed = watch({ timeoutSeconds: 5 })
  const outcome = Promise.allSettled([broken, timed])
  await clock.advance(5_000)
  cluster.breakWatches()
  expect((await outcome).map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  expect(cluster.openWatches).toBe(0)
})

test('the same seed gives the same objects', async () => {
  const [one, two, other] = await Promise.all([world(7).make('a'), world(7).make('a'), world(8).make('a')])
  expect(one).toEqual(two)
  expect(other.metadata.uid).not.toBe(one.metadata.uid)
})
