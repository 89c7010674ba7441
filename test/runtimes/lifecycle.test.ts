import { expect, test } from 'vitest'
import { ClassRuntime } from '../../src/domains/runtimes/index.ts'
import { Deployment, Service } from '../../src/kube/index.ts'
import { fn, RuntimesWorld } from './world.ts'

test('a class of two functions becomes workloads and services, and is available when they are ready', async () => {
  await using world = await RuntimesWorld.make()
  await world.controller()
  await world.create('cart', { functions: [fn('add'), fn('checkout', { min_scale: 2 })] })
  const { status, metadata } = await world.reaches('cart', 'available')
  expect(metadata.finalizers).toEqual(['oaas.io/finalizer'])
  expect(status).toMatchObject({ template: 'k8s_deployment', functions_ready: '2/2' })
  expect(await world.names(Deployment)).toEqual(['cart--add', 'cart--checkout'])
  expect(await world.names(Service)).toEqual(['cart--add', 'cart--checkout'])
  const checkout = await world.client.get(Deployment, world.at('cart--checkout'))
  expect(checkout?.spec?.replicas).toBe(2)
  expect(checkout?.metadata.ownerReferences).toMatchObject([{ kind: 'ClassRuntime', name: 'cart', controller: true }])
})

test('a deleted class leaves nothing behind', async () => {
  await using world = await RuntimesWorld.make()
  await world.controller()
  await world.create('cart', { functions: [fn('add'), fn('checkout')], addons: ['odgm'] })
  await world.reaches('cart', 'available')
  expect(await world.names(Deployment)).toEqual(['cart--add', 'cart--checkout', 'cart-odgm'])
  await world.client.delete(ClassRuntime, world.at('cart'))
  await world.isGone(ClassRuntime, 'cart')
  expect(await world.names(Deployment)).toEqual([])
  expect(await world.names(Service)).toEqual([])
})
