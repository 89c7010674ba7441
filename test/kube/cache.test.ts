import { expect, test } from 'vitest'
import { seededRandom, systemClock } from '../../src/kernel/index.ts'
import { FakeKubernetes } from '../../src/kube/fake/index.ts'
import { ConfigMap, keeping, makeClient, type Client, type KubeRequest } from '../../src/kube/index.ts'
import { freshNamespace, testClient, testTransport } from '../support/kube.ts'
import { configMap, seenCache, showing } from './watch/seen.ts'

const COUNT = 2_000

/** Sixteen at a time. */
async function inLanes(count: number, work: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: 16 }, lane))
}

/** The server refuses to stream a list that does not say how fresh it has to be. */
const withoutMatch = ({ query, ...request }: KubeRequest): KubeRequest => ({
  ...request,
  query: { ...query, resourceVersionMatch: undefined },
})

test('two thousand objects are listed by stream and in pages alike, and followed from there', async () => {
  await using client = await testClient()
  await using namespace = await freshNamespace(client)
  const name = (i: number): string => `m-${String(i).padStart(4, '0')}`
  await inLanes(COUNT, (i) => client.create(ConfigMap, configMap(namespace.name, name(i))))

  await using transport = await testTransport()
  const stream = (request: KubeRequest): AsyncIterable<unknown> => transport.stream(withoutMatch(request))
  const inPages = makeClient({ ...transport, stream }, { fieldManager: 'test' })
  await using streamed = seenCache(client, namespace.name)
  await using paged = seenCache(inPages, namespace.name)
  await using identities = seenCache(client, namespace.name, { metadataOnly: true, keep: keeping('metadata.labels') })
  const caches = [streamed.cached, paged.cached, identities.cached]
  await Promise.all(caches.map((cached) => cached.start()))
  const present = COUNT + 1 // every namespace has the map of the root certificate
  expect(caches.map(({ size }) => size)).toEqual([present, present, present])

  await client.delete(ConfigMap, { namespace: namespace.name, name: name(7) })
  await client.apply(ConfigMap, configMap(namespace.name, name(8), 'changed'), { force: true })
  const at = { namespace: namespace.name, name: name(8) }
  const versions = (): (string | undefined)[] => caches.map((cached) => cached.get(at)?.metadata.resourceVersion)
  const truth = (await client.get(ConfigMap, at))?.metadata.resourceVersion
  for (const cached of caches)
    await showing(
      cached,
      'the deletion and the change',
      () => cached.size === present - 1 && cached.get(at)?.metadata.resourceVersion === truth,
    )
  expect(versions()).toEqual([truth, truth, truth])
  expect([streamed.cached.get(at)?.data, paged.cached.get(at)?.data, identities.cached.get(at)?.data]).toEqual([
    { text: 'changed' },
    { text: 'changed' },
    undefined,
  ])
  expect(streamed.cached.get(at)?.metadata.managedFields).toBeUndefined()
  expect(streamed.heard.concat(paged.heard, identities.heard).filter((what) => what !== 'watch:connected')).toEqual([])
})

interface World extends AsyncDisposable {
  readonly client: Client
  readonly namespace: string
}

const WORLDS: Readonly<Record<string, () => Promise<World>>> = {
  async real() {
    const client = await testClient()
    const { name, ...namespace } = await freshNamespace(client)
    const end = async (): Promise<void> => {
      await namespace[Symbol.asyncDispose]()
      await client[Symbol.asyncDispose]()
    }
    return { client, namespace: name, [Symbol.asyncDispose]: end }
  },
  async fake() {
    const controlPlane = new FakeKubernetes({ clock: systemClock, random: seededRandom(1), namespaces: ['test'] })
    const client = makeClient(controlPlane.transport(), { fieldManager: 'test' })
    return { client, namespace: 'test', [Symbol.asyncDispose]: async () => {} }
  },
}

test.each(Object.entries(WORLDS))(
  'what was just written is read back, whatever the watch has seen by then (%s server)',
  async (_, make) => {
    await using world = await make()
    const { client, namespace } = world
    await using seen = seenCache(client, namespace)
    const { cached } = seen
    await cached.start()
    const at = { namespace, name: 'counter' }
    const told: string[] = []
    cached.onChange(({ type, key }) => key.endsWith('counter') && told.push(type))

    for (let i = 0; i < 100; i++) {
      cached.wrote(await client.apply(ConfigMap, configMap(namespace, 'counter', String(i)), { force: true }))
      expect(cached.get(at)?.data).toEqual({ text: String(i) })
    }
    const uid = cached.get(at)?.metadata.uid ?? ''
    await client.delete(ConfigMap, at)
    cached.deleted(at, uid)
    expect(cached.get(at)).toBeUndefined()

    await client.create(ConfigMap, configMap(namespace, 'last'))
    await showing(cached, 'what came after', () => cached.get({ namespace, name: 'last' }) !== undefined)
    expect(cached.get(at)).toBeUndefined()
    expect(told).toEqual(['added', ...Array<string>(99).fill('changed'), 'deleted'])
  },
)
