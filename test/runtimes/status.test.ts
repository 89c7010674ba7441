import { expect, test } from 'vitest'
import { ClassRuntime } from '../../src/domains/runtimes/index.ts'
import { timestamp } from '../../src/kernel/index.ts'
import { Service, type Transport } from '../../src/kube/index.ts'
import { fn, RuntimesWorld } from './world.ts'

/** Somebody writes into the status just before we do. */
const overtaken =
  (first: () => Promise<unknown>) =>
  (inner: Transport): Transport => {
    let isFirst = true
    return {
      ...inner,
      async send(request) {
        if (isFirst && request.method === 'PATCH' && request.path.endsWith('/cart/status')) {
          isFirst = false
          await first()
        }
        return inner.send(request)
      },
    }
  }

test('a status that was overtaken is concluded again, and nobody’s word is lost', async () => {
  await using world = await RuntimesWorld.make()
  const recommendation = { value: 4, at: timestamp(Date.now()), confidence: 1, basis: 'a test' }
  const merge = { status: { nfr_recommendations: { 'replicas/hello': recommendation } } }
  const write = () => world.client.patchStatus(ClassRuntime, world.at('cart'), { merge })
  const { told } = await world.controller({}, overtaken(write))
  let conflicts = 0
  told.on('runtimes:statusConflict', () => conflicts++)
  await world.create('cart')
  const { status } = await world.reaches('cart', 'available')
  expect(conflicts).toBeGreaterThanOrEqual(1)
  expect(status?.nfr_recommendations).toEqual({ 'replicas/hello': recommendation })
})

test('a status that somebody scribbled into is put right', async () => {
  await using world = await RuntimesWorld.make()
  await world.controller()
  await world.create('cart')
  await world.reaches('cart', 'available')
  const merge = { status: { phase: 'nonsense', conditions: [] } }
  await world.client.patchStatus(ClassRuntime, world.at('cart'), { merge })
  const { status } = await world.reaches('cart', 'available')
  expect(status?.conditions?.map(({ type }) => type)).toEqual(expect.arrayContaining(['Available', 'Degraded']))
})

test('routers of the namespace are found as they come and go', async () => {
  await using world = await RuntimesWorld.make()
  await world.controller()
  await world.create('cart')
  await world.reaches('cart', 'available')
  const metadata = { ...world.at('router'), labels: { app: 'router', platform: 'oaas' } }
  const spec = { ports: [{ name: 'zenoh', port: 17_447 }] }
  await world.client.create(Service, { apiVersion: 'v1', kind: 'Service', metadata, spec })
  const hasRouters = (count: number) => (one: ClassRuntime) => (one.status?.routers ?? []).length === count
  const { status } = await world.sees(ClassRuntime, 'cart', hasRouters(1))
  expect(status?.routers).toEqual([{ service: 'router', port: 17_447 }])
  await world.client.delete(Service, world.at('router'))
  await world.sees(ClassRuntime, 'cart', hasRouters(0))
})

test('each function is told apart: one that is ready and one that is not', async () => {
  await using world = await RuntimesWorld.make()
  await world.controller()
  await world.create('cart', { functions: [fn('add'), fn('huge', { cpu_request: '100000' })] })
  const isAddReady = (one: ClassRuntime) => one.status?.functions_ready === '1/2'
  const { status } = await world.sees(ClassRuntime, 'cart', isAddReady)
  expect(status?.phase).toBe('progressing')
  expect(status?.functions).toMatchObject([
    { function_key: 'add', ready: true, service: 'cart--add', port: 80 },
    { function_key: 'huge', ready: false },
  ])
})
