import { expect, test, vi } from 'vitest'
import { createEmitter, manualClock, seededRandom } from '../../kernel/index.ts'
import { makeClient } from '../client/make-client.ts'
import { FakeKubernetes } from '../fake/index.ts'
import { ConfigMap, CustomResourceDefinition } from '../resources.ts'
import type { KubeObject, Resource } from '../objects.ts'
import type { WatchEvents } from '../watch/events.ts'
import { cache } from './cache.ts'
import { servedKinds } from './served-kinds.ts'

const definition = (n: number): KubeObject =>
  ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'others.example.com', labels: { n: `${n}` } },
    spec: {
      group: 'example.com',
      names: { kind: 'Other', plural: 'others' },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  }) as unknown as KubeObject

interface Other extends KubeObject {
  readonly kind: 'Other'
}
const Other: Resource<Other> = {
  group: 'example.com',
  version: 'v1',
  kind: 'Other',
  plural: 'others',
  namespaced: true,
}

function stage() {
  const clock = manualClock()
  const kubernetes = new FakeKubernetes({ clock, random: seededRandom(1), namespaces: ['n'] })
  const client = makeClient(kubernetes.transport(), { fieldManager: 'test' })
  const watching = { source: client, clock, emitter: createEmitter<WatchEvents>(), random: () => 0.5 }
  const log: string[] = []
  const served = servedKinds({
    watching,
    resources: { ConfigMap, Other },
    builtIn: ['ConfigMap'],
    open: (kind) => cache<KubeObject>(watching, { resource: kind === 'Other' ? Other : ConfigMap }),
    listen(kind) {
      log.push(`listens to ${kind}`)
      return () => log.push(`leaves ${kind}`)
    },
    onChange: () => log.push(`serves ${served.served().join(' and ')}`),
  })
  const define = (n: number): Promise<unknown> =>
    client.apply(CustomResourceDefinition, definition(n) as CustomResourceDefinition, { force: true })
  return { clock, client, served, log, define }
}

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
}

test('a kind has a cache from when its definition is created until it is deleted', async () => {
  const { clock, client, served, log, define } = stage()
  await served.start()
  expect(served.served()).toEqual(['ConfigMap'])
  expect(served.cacheOf('Other')).toBeUndefined()

  await define(1)
  await clock.advance(1_000)
  expect(served.served()).toEqual(['ConfigMap', 'Other'])
  await client.create(Other, { apiVersion: 'example.com/v1', kind: 'Other', metadata: { namespace: 'n', name: 'o' } })
  await turns()
  expect(served.cacheOf('Other')?.size).toBe(1)

  await client.delete(CustomResourceDefinition, { name: 'others.example.com' })
  await clock.advance(1_000)
  expect(served.cacheOf('Other')).toBeUndefined()
  await served.stop()
  expect(log).toEqual([
    'listens to ConfigMap',
    'listens to Other',
    'serves ConfigMap and Other',
    'leaves Other',
    'serves ConfigMap',
    'leaves ConfigMap',
  ])
})

test('a kind that goes while another one comes is reported', async () => {
  const clock = manualClock()
  const kubernetes = new FakeKubernetes({ clock, random: seededRandom(1), namespaces: ['n'] })
  const client = makeClient(kubernetes.transport(), { fieldManager: 'test' })
  const watching = { source: client, clock, emitter: createEmitter<WatchEvents>(), random: () => 0.5 }
  const resources = { Other, Second: { ...Other, kind: 'Second', plural: 'seconds' } }
  const log: string[] = []
  const served = servedKinds<keyof typeof resources>({
    watching,
    resources,
    builtIn: [],
    open: (kind) => cache<KubeObject>(watching, { resource: resources[kind] }),
    onChange: () => log.push(`serves ${served.served().join(' and ')}`),
  })
  const named = (kind: string, plural: string): CustomResourceDefinition => {
    const { spec, ...rest } = definition(1) as CustomResourceDefinition
    const names = { ...spec.names, kind, plural }
    return { ...rest, metadata: { name: `${plural}.example.com` }, spec: { ...spec, names } }
  }
  await client.create(CustomResourceDefinition, named('Other', 'others'))
  const started = served.start()
  await clock.advance(1_000)
  await started
  log.length = 0
  await Promise.all([
    client.delete(CustomResourceDefinition, { name: 'others.example.com' }),
    client.create(CustomResourceDefinition, named('Second', 'seconds')),
  ])
  await clock.advance(2_000)
  await served.stop()
  expect(log.at(-1)).toBe('serves Second')
})

test('changes of definitions leave no listeners behind', async () => {
  const { served, define } = stage()
  const added = vi.spyOn(EventTarget.prototype, 'addEventListener')
  const removed = vi.spyOn(EventTarget.prototype, 'removeEventListener')
  const listeners = (): number => added.mock.calls.length - removed.mock.calls.length
  await define(0)
  await served.start()
  const before = listeners()
  for (let n = 1; n <= 20; n++) {
    await define(n)
    await turns()
  }
  expect(listeners() - before).toBe(0)
  await served.stop()
})
