import { expect, test } from 'vitest'
import type { EventView, NfrHistoryView } from '../../../src/api/contract/index.ts'
import { ClassRuntime } from '../../../src/domains/runtimes/index.ts'
import { httpTransport, type HttpTransport } from '../../../src/kube/index.ts'
import { testConfig } from '../../support/kube.ts'
import { fn, PATIENCE_MS } from '../../runtimes/world.ts'
import { runtimesApi, type RuntimesApi } from './world.ts'

/** Resolves when an event like it has been published. */
function heard({ api }: RuntimesApi, isIt: (event: EventView) => boolean): Promise<EventView> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('no such event was heard')), PATIENCE_MS)
    api.parts.events.onPublish((event) => {
      if (!isIt(event)) return
      clearTimeout(late)
      resolve(event)
    })
  })
}

const recommend = ({ controlPlane }: RuntimesApi, value: number): Promise<unknown> => {
  const at = new Date().toISOString()
  const recommendation = { value, at, confidence: 0.9, basis: 'the test says so' }
  const status = { nfr_recommendations: { 'replicas/hello': recommendation } }
  return controlPlane.client.patchStatus(ClassRuntime, controlPlane.at('cart'), { merge: { status } })
}

test('whoever changes a runtime, those who listen hear of it', async () => {
  await using w = await runtimesApi()
  const id = `${w.controlPlane.namespace}/cart`
  const of = (reason: string) => heard(w, (event) => event.object_id === id && event.reason === reason)
  const [made, available, gone] = [of('pending'), of('available'), of('deleted')]
  await w.controlPlane.create('cart')
  expect(await made).toMatchObject({ topic: 'runtimes', kind: 'ClassRuntime', tone: 'wait' })
  await w.controlPlane.controller()
  expect(await available).toMatchObject({ tone: 'good', message: expect.stringContaining('cart is available') })
  await w.controlPlane.client.delete(ClassRuntime, w.controlPlane.at('cart'))
  expect(await gone).toMatchObject({ tone: 'info', message: 'cart is gone' })
})

test('recommended, applied and live values are told as they are and as they were', async () => {
  await using w = await runtimesApi()
  await w.controlPlane.controller()
  await w.controlPlane.create('cart', {
    functions: [fn('hello', { max_scale: 10 })],
    enforcement: { mode: 'enforce', dimensions: ['replicas'] },
  })
  await w.shows('cart', ({ phase }) => phase === 'available')
  await recommend(w, 3)
  const view = await w.shows('cart', ({ nfr }) => nfr[0]?.applied === 3 && nfr[0].live === 3)
  expect(view.nfr).toMatchObject([
    {
      function_key: 'hello',
      dimension: 'replicas',
      unit: 'replicas',
      enforced: true,
      recommended: { value: 3, stale: false },
    },
  ])
  expect(view.enforcement).toMatchObject({
    mode: 'enforce',
    history: [{ function_key: 'hello', dimension: 'replicas', target: 3, basis: 'the test says so' }],
  })
  const { since, series } = await w.read<NfrHistoryView>(`${w.path('cart')}/nfr`)
  expect(Date.parse(since ?? '')).toBeGreaterThan(0)
  expect(series).toMatchObject([{ function_key: 'hello', dimension: 'replicas', unit: 'replicas' }])
  expect(series[0]?.points[0]).toMatchObject({ recommended: 3 })
  expect(series[0]?.points.at(-1)).toMatchObject({ recommended: 3, applied: 3, live: 3 })
})

/** Nobody listens there. */
const deadTransport = async (): Promise<HttpTransport> =>
  httpTransport({ ...(await testConfig()), server: 'https://127.0.0.1:1' })

test('while the cluster is away the answer says so', async () => {
  const dead = await deadTransport()
  let isAway = false
  const through = (transport: HttpTransport): HttpTransport => ({
    ...transport,
    send: (request) => (isAway ? dead : transport).send(request),
  })
  await using w = await runtimesApi({ through })
  await w.controlPlane.create('cart')
  await w.shows('cart', () => true)
  isAway = true
  const writes = { method: 'PUT', url: w.path('cart'), payload: w.manifest('cart') } as const
  for (const request of [{ url: w.path('cart') }, writes, { url: `${w.path('cart')}/timeline` }]) {
    const answer = await w.api.as(w.admin.secret, request)
    expect(answer.json()).toMatchObject({
      status: 503,
      code: 'KubeUnreachable',
      retryable: true,
      next_step: expect.stringContaining('API server'),
    })
  }
  await dead.close()
})

test('who asks before the first list has come waits for it', async () => {
  const released = Promise.withResolvers<void>()
  const isOurs = (path: string): boolean => path.includes('/classruntimes')
  const held = Promise.withResolvers<void>()
  const through = (transport: HttpTransport): HttpTransport => ({
    ...transport,
    async *stream(request) {
      if (isOurs(request.path)) {
        held.resolve()
        await released.promise
      }
      yield* transport.stream(request)
    },
  })
  await using w = await runtimesApi({ through, isSeen: false })
  await w.controlPlane.create('cart')
  await held.promise
  const put = await w.api.as(w.admin.secret, { method: 'PUT', url: w.path('pay'), payload: w.manifest('pay') })
  expect(put.statusCode).toBe(201)
  const preview = { method: 'POST', url: '/api/v1/runtimes:preview', payload: w.manifest('new') } as const
  const urls = ['/api/v1/runtimes', w.path('cart'), `${w.path('cart')}/explain`, `${w.path('cart')}/nfr`]
  const asked = [...urls.map((url) => ({ url })), preview].map((request) => w.api.as(w.admin.secret, request))
  // Let in after them, so that they are waiting by now; not for so long that they are refused.
  expect((await w.api.as(w.admin.secret, { url: '/api/v1/me' })).statusCode).toBe(200)
  released.resolve()
  for (const answer of await Promise.all(asked)) expect(answer.statusCode).toBe(200)
})

test('a cluster that was never seen keeps nobody waiting', async () => {
  const dead = await deadTransport()
  await using w = await runtimesApi({ through: () => dead, isSeen: false })
  for (const url of ['/api/v1/runtimes', w.path('cart'), `${w.path('cart')}/explain`, `${w.path('cart')}/nfr`]) {
    const answer = await w.api.as(w.admin.secret, { url })
    expect(answer.json()).toMatchObject({
      status: 503,
      code: 'RuntimesUnseen',
      detail: expect.stringContaining('ECONNREFUSED'),
      next_step: expect.stringContaining('kubectl apply -f deploy/crds'),
    })
  }
  await dead.close()
})
