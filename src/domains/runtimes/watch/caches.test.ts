import { expect, test } from 'vitest'
import { createEmitter, manualClock } from '../../../kernel/index.ts'
import { makeClient, type KubeRequest, type Transport, type WatchEvents } from '../../../kube/index.ts'
import { keptOf, openCaches, openChildCache, requireWatches } from './caches.ts'
import type { ClassRuntime } from '../class-runtime.ts'
import { differs } from '../apply/diff.ts'
import { stamped } from '../apply/stamp.ts'
import { TEMPLATES } from '../templates/choose.ts'
import { MANAGED_KINDS } from '../types.ts'

const runtime: ClassRuntime = {
  apiVersion: 'oaas.io/v1alpha1',
  kind: 'ClassRuntime',
  metadata: { namespace: 'n', name: 'cart', uid: 'u', generation: 1 },
  spec: {
    addons: ['odgm'],
    odgm_config: { collections: ['carts'], log: 'debug', options: { a: 'b' } },
    functions: [
      {
        function_key: 'add',
        provision_config: {
          container_image: 'registry.example/add:1',
          port: 80,
          need_http2: true,
          max_concurrency: 5,
          cpu_request: '100m',
          memory_request: '64Mi',
          cpu_limit: '1',
          memory_limit: '128Mi',
          min_scale: 2,
          max_scale: 5,
        },
        config: { MESSAGE: 'hello' },
      },
    ],
    telemetry: { enabled: true, metrics: true, traces: true, logs: true, sampling_rate: 0.5 },
  },
}

const settings = {
  profile: 'full',
  hpa: true,
  odgm: { image: 'registry.example/odgm:1', pullPolicy: 'Always' },
  otlpEndpoint: 'http://otel.example:4317',
} as const

test.each(TEMPLATES.map((template) => [template.id, template] as const))(
  'nothing that %s renders is dropped by the caches, or it would be applied for ever',
  (_, template) => {
    for (const served of [MANAGED_KINDS, MANAGED_KINDS.filter((kind) => kind !== 'ServiceMonitor')]) {
      const { children } = template.render({
        runtime,
        settings,
        served,
        routers: [{ service: 'router', port: 17_447 }],
        handed: () => [],
      })
      expect(children.length).toBeGreaterThan(2)
      for (const { kind, object } of children.map(stamped)) {
        expect(differs(object, keptOf(kind)(object))).toEqual([])
      }
    }
  },
)

/** A transport that counts the streams that are opened, and answers nothing until a request is aborted. */
function countingTransport(maxStreams: number): Transport & { readonly opened: () => number } {
  let opened = 0
  const send = ({ signal }: KubeRequest) =>
    new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(new Error('aborted')))
    })
  async function* stream(request: KubeRequest): AsyncGenerator {
    opened++
    yield await send(request)
  }
  return { send, stream, maxStreams, opened: () => opened }
}

test('more namespaces than the transport has streams for are refused at once, with the numbers and the remedy', () => {
  const namespaces = ['a', 'b', 'c']
  const needed = 3 * (4 + MANAGED_KINDS.length) + 2
  expect(() => requireWatches(countingTransport(needed), { namespaces })).not.toThrow()
  expect(() => requireWatches(countingTransport(needed - 1), { namespaces })).toThrow(
    `${needed} watches are needed, and ${needed - 1} are allowed for one process. Each of the 3 namespaces`,
  )
})

test('the watches that are counted are the watches that are opened', async () => {
  const transport = countingTransport(Infinity)
  const emitter = createEmitter<WatchEvents>()
  const source = makeClient(transport, { fieldManager: 'test' })
  const watching = { source, clock: manualClock(), random: () => 0.5, emitter }
  const extent = { namespaces: ['a', 'b'] }
  const all = [
    ...openCaches(watching, extent).services,
    ...MANAGED_KINDS.map((kind) => openChildCache(watching, kind, extent)),
  ]
  for (const one of all) void one.start()
  await new Promise(setImmediate)
  const count = transport.opened()
  expect(() => requireWatches(countingTransport(count + 2), extent)).not.toThrow()
  expect(() => requireWatches(countingTransport(count + 1), extent)).toThrow()
  await Promise.all(all.map((one) => one.stop()))
})
