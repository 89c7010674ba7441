import { expect, test } from 'vitest'
import type { ClassRuntimeSpec } from '../../../src/domains/runtimes/index.ts'
import type { HttpTransport } from '../../../src/kube/index.ts'
import { fn } from '../../runtimes/world.ts'
import { runtimesApi } from './world.ts'

const PACKAGE = {
  name: 'shop',
  classes: [{ key: 'shop', function_bindings: [{ name: 'pay', function_key: 'pay' }] }],
  functions: [{ key: 'pay', function_type: 'CUSTOM', provision_config: { container_image: 'registry.example/pay:1' } }],
  deployments: [{ key: 'shop', class_key: 'shop', target_envs: ['cloud'] }],
}

test('what was just written is seen by whoever asks next, however late the watch is', async () => {
  const released = Promise.withResolvers<void>()
  let isLate = false
  const through = (transport: HttpTransport): HttpTransport => ({
    ...transport,
    async *stream(request) {
      for await (const piece of transport.stream(request)) {
        if (isLate && request.path.includes('/classruntimes')) await released.promise
        yield piece
      }
    },
  })
  await using w = await runtimesApi({ through })
  using _ = { [Symbol.dispose]: () => released.resolve() }
  isLate = true
  const put = (spec?: ClassRuntimeSpec) =>
    w.api.as(w.admin.secret, { method: 'PUT', url: w.path('cart'), payload: w.manifest('cart', spec) })
  expect((await put()).statusCode).toBe(201)
  expect(await w.read(w.path('cart'))).toMatchObject({ generation: 1, phase: 'pending' })
  expect((await put({ functions: [fn('hello'), fn('bye')] })).statusCode).toBe(200)
  expect(await w.read(w.path('cart'))).toMatchObject({ generation: 2, functions_total: 2 })
  const payload = { package: PACKAGE, namespace: w.controlPlane.namespace, environment: 'cloud' }
  const applied = await w.api.as(w.admin.secret, { method: 'POST', url: '/api/v1/runtimes:apply-package', payload })
  expect(applied.statusCode).toBe(200)
  const { items } = await w.read<{ items: { name: string }[] }>(
    `/api/v1/runtimes?namespace=${w.controlPlane.namespace}`,
  )
  expect(items.map(({ name }) => name)).toEqual(['cart', 'shop'])
})

test('a change has one audit row, however often its write is repeated, and no change has none', async () => {
  let conflicts = 0
  const through = (transport: HttpTransport): HttpTransport => ({
    ...transport,
    async send(request) {
      const isWrite = request.method === 'PUT' && request.path.endsWith('/classruntimes/cart')
      if (!isWrite || request.query?.['dryRun'] !== undefined || conflicts === 2) return transport.send(request)
      conflicts += 1
      const body = { kind: 'Status', status: 'Failure', code: 409, reason: 'Conflict', message: 'it was modified' }
      return { status: 409, headers: {}, body }
    },
  })
  await using w = await runtimesApi({ through })
  const put = (spec?: ClassRuntimeSpec) =>
    w.api.as(w.admin.secret, { method: 'PUT', url: w.path('cart'), payload: w.manifest('cart', spec) })
  const audited = async (): Promise<string[]> => {
    const { items } = await w.read<{ items: { source: string; what: string }[] }>(`${w.path('cart')}/timeline`)
    return items.filter(({ source }) => source === 'audit').map(({ what }) => what)
  }
  await put()
  expect((await put({ functions: [fn('hello'), fn('bye')] })).statusCode).toBe(200)
  expect(conflicts).toBe(2)
  expect(await audited()).toEqual(['changed', 'created'])
  expect((await put({ functions: [fn('hello'), fn('bye')] })).statusCode).toBe(200)
  expect(await audited()).toEqual(['changed', 'created'])
})
