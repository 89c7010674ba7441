import { expect, test } from 'vitest'
import { createEmitter, seededRandom, startAll, systemClock } from '../../../kernel/index.ts'
import { FakeKubernetes } from '../../../kube/fake/index.ts'
import { makeClient, Pod, type Client, type WatchEvents } from '../../../kube/index.ts'
import { openCaches } from '../watch/caches.ts'
import { ClassRuntime, type ClassRuntimeSpec } from '../class-runtime.ts'
import { functionLabel, ownerLabel } from '../names.ts'
import { FUNCTION_LABEL, OWNER_LABEL } from '../types.ts'
import { analyzer } from './analyzer.ts'
import { fakeMetrics } from './fake-metrics.ts'
import type { NfrEvents } from './events.ts'
import { defaultQueries } from './measure.ts'

const NAMESPACE = 'tenant'
const QUERIES = defaultQueries()

/** A cluster with runtimes of one function each, all under the same load. */
async function scene(names: readonly string[], spec: ClassRuntimeSpec = {}, phase = 'available') {
  const controlPlane = new FakeKubernetes({
    clock: systemClock,
    random: seededRandom(1),
    definitions: [ClassRuntime.manifest],
    namespaces: [NAMESPACE],
  })
  const client = makeClient(controlPlane.transport(), { fieldManager: 'test' })
  const source = fakeMetrics()
  for (const name of names) {
    const metadata = { namespace: NAMESPACE, name }
    const functions = [{ function_key: 'cart' }]
    const apiVersion = 'oaas.io/v1alpha1'
    await client.create(ClassRuntime, { apiVersion, kind: 'ClassRuntime', metadata, spec: { functions, ...spec } })
    await client.patchStatus(ClassRuntime, metadata, { merge: { status: { phase } } })
    const labels = { [OWNER_LABEL]: ownerLabel(name), [FUNCTION_LABEL]: functionLabel('cart') }
    const containers = [{ name: 'function', image: 'hello' }]
    await client.create(Pod, { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, labels }, spec: { containers } })
  }
  const measured = (value: number) => names.map((pod) => ({ labels: { namespace: NAMESPACE, pod }, value }))
  source.answer(QUERIES.rps, measured(10))
  source.answer(QUERIES.cpuMillicores, measured(700))
  const at = (name: string) => ({ namespace: NAMESPACE, name })
  const status = async (name: string) => (await client.get(ClassRuntime, at(name)))?.status
  return { client, source, at, status }
}

/** One pass, and what it told. */
async function pass(client: Client, source: ReturnType<typeof fakeMetrics>): Promise<NfrEvents['runtimes:analyzed']> {
  const told = createEmitter<NfrEvents & WatchEvents>()
  const caches = openCaches({ source: client, clock: systemClock, random: Math.random, emitter: told })
  const done = new Promise<NfrEvents['runtimes:analyzed']>((resolve) => void told.on('runtimes:analyzed', resolve))
  const settings = { maxAgeMs: 600_000 }
  const stop = await startAll([
    ...caches.services,
    analyzer({ client, caches, source, clock: systemClock, settings, emitter: told }),
  ])
  const result = await done
  await stop()
  return result
}

test('four queries serve all runtimes, and a second look writes nothing', async () => {
  const names = Array.from({ length: 40 }, (_, index) => `shop-${index}`)
  const { client, source, status } = await scene(names)
  expect(await pass(client, source)).toMatchObject({ runtimes: 40, written: 40, failures: [] })
  expect(source.asked).toHaveLength(4)
  expect((await status('shop-39'))?.nfr_recommendations?.['replicas/cart']).toMatchObject({ value: 2 })
  expect(await pass(client, source)).toMatchObject({ runtimes: 40, written: 0 })
})

test.for<[why: string, spec: ClassRuntimeSpec, phase: string]>([
  ['that want none', { enforcement: { mode: 'off' } }, 'available'],
  ['that are degraded', {}, 'degraded'],
  ['that are being deleted', {}, 'deleting'],
])('nothing is recommended for runtimes %s', async ([, spec, phase]) => {
  const { client, source, status } = await scene(['shop'], spec, phase)
  expect(await pass(client, source)).toMatchObject({ runtimes: 0, written: 0 })
  expect(await status('shop')).toEqual({ phase })
})

test('what the controller writes at the same moment is not lost', async () => {
  const { client, source, at, status } = await scene(['shop'])
  let writes = 0
  const racing: Client = {
    ...client,
    async patchStatus(resource, where, patch, options) {
      if (++writes <= 2)
        await client.patchStatus(ClassRuntime, at('shop'), { merge: { status: { message: `${writes}` } } })
      return client.patchStatus(resource, where, patch, options)
    },
  }
  expect(await pass(racing, source)).toMatchObject({ written: 1, failures: [] })
  expect(writes).toBe(3)
  const after = await status('shop')
  expect(after).toMatchObject({
    phase: 'available',
    message: '2',
    nfr_recommendations: { 'replicas/cart': { value: 2 } },
  })
})

test('one query without an answer does not silence the others', async () => {
  const { client, source, status } = await scene(['shop'])
  source.answer(QUERIES.memoryBytes, [{ labels: { namespace: NAMESPACE, pod: 'shop' }, value: 100 * 2 ** 20 }])
  const limping = {
    ...source,
    query: (promql: string, signal: AbortSignal) =>
      promql === QUERIES.rps ? Promise.reject(new Error('no answer')) : source.query(promql, signal),
  }
  expect(await pass(client, limping)).toMatchObject({ written: 1, failures: [{ message: 'no answer' }] })
  expect(Object.keys((await status('shop'))?.nfr_recommendations ?? {})).toEqual(['memory/cart'])
})
