import { afterEach, beforeAll, expect, test } from 'vitest'
import { Echo, echoController } from '../../examples/echo/index.ts'
import { echoReconcile } from '../../examples/echo/controller.ts'
import { startAll, systemClock } from '../../src/kernel/index.ts'
import { type Client, ConfigMap, installCrd, type KubeObject, makeClient, type Resource } from '../../src/kube/index.ts'
import { freshNamespace, testClient, testTransport } from '../support/kube.ts'

const PARTS = { clock: systemClock, random: Math.random }

const ending: (() => Promise<void>)[] = []

beforeAll(async () => {
  await using client = await testClient()
  await installCrd(client, Echo)
})

afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end()
})

async function world() {
  const transport = await testTransport()
  ending.push(() => transport.close())
  const client = makeClient(transport, { fieldManager: 'user' })
  const namespace = await freshNamespace(client)
  ending.push(async () => namespace[Symbol.asyncDispose]())
  const at = { namespace: namespace.name, name: 'hello' }
  const say = (message: string) =>
    client.create(Echo, { apiVersion: 'bench.example/v1', kind: 'Echo', metadata: at, spec: { message } })
  return { client, transport, at, say }
}

async function start({ transport }: Awaited<ReturnType<typeof world>>): Promise<() => Promise<void>> {
  const stop = await startAll(echoController({ ...PARTS, instance: 'here', transport }).services)
  ending.push(stop)
  return stop
}

/** Watches one object until it is as wanted; `undefined` stands for gone. */
async function until<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  isWanted: (object: T | undefined) => boolean,
): Promise<T | undefined> {
  const deadline = AbortSignal.timeout(20_000)
  let seen = await client.get(resource, { namespace, name })
  const options = { namespace, fields: `metadata.name=${name}` }
  if (isWanted(seen)) return seen
  for await (const event of client.watchEvents(resource, options, deadline)) {
    if (event.type === 'BOOKMARK' || event.type === 'ERROR') continue
    seen = event.type === 'DELETED' ? undefined : event.object
    if (isWanted(seen)) return seen
  }
  throw new Error(`${resource.kind} ${name} did not become as wanted within 20 s: ${JSON.stringify(seen)}`)
}

const isReady = (echo: Echo | undefined): boolean =>
  echo !== undefined && echo.status?.observedGeneration === echo.metadata.generation
const says = (message: string) => (child: ConfigMap | undefined) => child?.data?.['message'] === message

test('an echo is answered, and answered again when it says something else', async () => {
  const here = await world()
  await start(here)
  await here.say('one')
  await until(here.client, ConfigMap, here.at, says('one'))
  await until(here.client, Echo, here.at, isReady)
  await here.client.patch(Echo, here.at, { merge: { spec: { message: 'two' } } })
  await until(here.client, ConfigMap, here.at, says('two'))
  await until(here.client, Echo, here.at, isReady)
})

test('a child that is edited is corrected, and one that is deleted comes back', async () => {
  const here = await world()
  await start(here)
  await here.say('one')
  await until(here.client, Echo, here.at, isReady)
  await here.client.patch(ConfigMap, here.at, { merge: { data: { message: 'meddled' } } })
  await until(here.client, ConfigMap, here.at, says('one'))
  await here.client.delete(ConfigMap, here.at)
  await until(here.client, ConfigMap, here.at, says('one'))
})

test('a restart over an answered echo writes nothing', async () => {
  const here = await world()
  const stop = await start(here)
  await here.say('one')
  const before = await until(here.client, Echo, here.at, isReady)
  const child = await here.client.get(ConfigMap, here.at)
  await stop()
  await start(here)
  const other = { ...here.at, name: 'other' }
  await here.client.create(Echo, {
    apiVersion: 'bench.example/v1',
    kind: 'Echo',
    metadata: other,
    spec: { message: 'later' },
  })
  await until(here.client, Echo, other, isReady)
  expect((await here.client.get(Echo, here.at))?.metadata.resourceVersion).toBe(before?.metadata.resourceVersion)
  expect((await here.client.get(ConfigMap, here.at))?.metadata.resourceVersion).toBe(child?.metadata.resourceVersion)
})

test('a ConfigMap of another owner with the same name is not taken over', async () => {
  const here = await world()
  const stranger = { apiVersion: 'v1', kind: 'ConfigMap', metadata: here.at, data: { message: 'mine' } } as const
  await here.client.create(ConfigMap, stranger)
  await start(here)
  await here.say('one')
  const other = { ...here.at, name: 'other' }
  await here.client.create(Echo, {
    apiVersion: 'bench.example/v1',
    kind: 'Echo',
    metadata: other,
    spec: { message: 'later' },
  })
  await until(here.client, Echo, other, isReady)
  expect((await here.client.get(ConfigMap, here.at))?.data).toEqual({ message: 'mine' })
  expect(isReady(await here.client.get(Echo, here.at))).toBe(false)
})

test('of two led controllers one answers; after it has stopped its writes are refused and the other answers', async () => {
  const here = await world()
  const lease = { namespace: here.at.namespace, name: 'echo' }
  const clients = new Map<string, Client>()
  const led = async (instance: string) => {
    const { services, election } = echoController({
      ...PARTS,
      transport: here.transport,
      instance,
      leader: { lease },
      reconcile: (client, caches, clock) => (run) => {
        clients.set(instance, client)
        return echoReconcile(client, caches, clock)(run)
      },
    })
    const stop = await startAll(services)
    ending.push(stop)
    return { stop, election }
  }
  const one = await led('one')
  await expect.poll(() => one.election?.leading).toBe(true)
  const two = await led('two')
  await here.say('one')
  await until(here.client, Echo, here.at, isReady)
  expect([...clients.keys()]).toEqual(['one'])

  await one.stop()
  const write = clients.get('one')!.patch(ConfigMap, here.at, { merge: { data: { message: 'meddled' } } })
  await expect(write).rejects.toMatchObject({ failure: { code: 'NotLeading' } })
  await expect.poll(() => two.election?.leading).toBe(true)
  await here.client.patch(Echo, here.at, { merge: { spec: { message: 'two' } } })
  await until(here.client, ConfigMap, here.at, says('two'))
})
