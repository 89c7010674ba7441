import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { ClassRuntime } from '../../src/domains/runtimes/index.ts'
import { ConfigMap, Deployment, Service, type Transport } from '../../src/kube/index.ts'
import { fn, RuntimesWorld } from './world.ts'

/** What happens to Deployments is told a moment after the answer to whoever did it. */
const lateWatch = (inner: Transport): Transport => ({
  ...inner,
  async *stream(request) {
    for await (const line of inner.stream(request)) {
      if (request.path.endsWith('/deployments')) await delay(300)
      yield line
    }
  },
})

test('a class waits for the last of its children, whatever holds it back', async () => {
  await using world = await RuntimesWorld.make()
  await world.controller({}, lateWatch)
  await world.create('cart', { functions: [fn('add'), fn('list')] })
  await world.reaches('cart', 'available')
  const finalizers = ['example.com/slow']
  await world.client.patch(Deployment, world.at('cart--add'), { merge: { metadata: { finalizers } } })
  await world.client.delete(ClassRuntime, world.at('cart'))
  await world.sees(Deployment, 'cart--add', ({ metadata }) => metadata.deletionTimestamp !== undefined)
  await world.isGone(Deployment, 'cart--list')
  await world.isGone(Service, 'cart--add')
  const { status, metadata } = await world.sees(ClassRuntime, 'cart', (one) => one.status?.phase === 'deleting')
  expect(metadata.finalizers).toEqual(['oaas.io/finalizer'])
  expect(status?.conditions?.filter((one) => one.status === 'True')).toEqual([])
  await world.client.patch(Deployment, world.at('cart--add'), { merge: { metadata: { finalizers: null } } })
  await world.isGone(ClassRuntime, 'cart')
  expect(await world.names(Deployment)).toEqual([])
})

test('what bears the label of a class and belongs to somebody else survives it', async () => {
  await using world = await RuntimesWorld.make()
  await world.controller()
  await world.create('cart')
  await world.reaches('cart', 'available')
  const someone = { apiVersion: 'v1', kind: 'ConfigMap', metadata: world.at('someone') } as const
  const { uid = '' } = (await world.client.create(ConfigMap, someone)).metadata
  const theirs = {
    ...world.at('theirs'),
    labels: { 'oaas.io/owner': 'cart' },
    ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'someone', uid, controller: true }],
  }
  const spec = { ports: [{ port: 80 }] }
  await world.client.create(Service, { apiVersion: 'v1', kind: 'Service', metadata: theirs, spec })
  await world.client.delete(ClassRuntime, world.at('cart'))
  await world.isGone(ClassRuntime, 'cart')
  expect(await world.names(Service)).toEqual(['theirs'])
})

test('a class that is created anew at once is another one, with children of its own', async () => {
  await using world = await RuntimesWorld.make()
  await world.controller()
  await world.create('cart')
  const { metadata: before } = await world.reaches('cart', 'available')
  await world.client.delete(ClassRuntime, world.at('cart'))
  await world.isGone(ClassRuntime, 'cart')
  await world.create('cart')
  const { metadata: after } = await world.reaches('cart', 'available')
  expect(after.uid).not.toBe(before.uid)
  const child = await world.client.get(Deployment, world.at('cart--hello'))
  expect(child?.metadata.ownerReferences).toMatchObject([{ uid: after.uid }])
})
