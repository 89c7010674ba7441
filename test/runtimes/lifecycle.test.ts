import { expect, test } from 'vitest'
import { ClassRuntime } from '../../src/domains/runtimes/index.ts'
import { Deployment, Service } from '../../src/kube/index.ts'
import { fn, PATIENCE_MS, RuntimesWorld } from './world.ts'

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

test('one child of several that is deleted comes back, and the others are not touched', async () => {
  await using world = await RuntimesWorld.make()
  await world.controller()
  await world.create('cart', { functions: [fn('add'), fn('checkout'), fn('list')] })
  await world.reaches('cart', 'available')
  const before = await world.client.list(Deployment, { namespace: world.namespace })
  const lost = before.find(({ metadata }) => metadata.name === 'cart--checkout')
  await world.client.delete(Deployment, world.at('cart--checkout'), { uid: lost?.metadata.uid ?? '' })
  await world.sees(Deployment, 'cart--checkout', ({ metadata }) => metadata.uid !== lost?.metadata.uid)
  await world.reaches('cart', 'available')
  const after = await world.client.list(Deployment, { namespace: world.namespace })
  const generations = (all: readonly Deployment[]) =>
    Object.fromEntries(all.map(({ metadata }) => [metadata.name, `${metadata.uid} ${metadata.generation}`]))
  expect(generations(after)).toMatchObject({
    'cart--add': generations(before)['cart--add'],
    'cart--list': generations(before)['cart--list'],
  })
})

test('a function that is removed goes with a word, one that is renamed moves, and the others stay as they are', async () => {
  await using world = await RuntimesWorld.make()
  await world.controller()
  await world.create('cart', { functions: [fn('add'), fn('checkout'), fn('list')] })
  await world.reaches('cart', 'available')
  const kept = await world.client.get(Deployment, world.at('cart--list'))
  await world.change('cart', { functions: [fn('list'), fn('pay')] })
  await world.reaches('cart', 'available')
  await Promise.all(['cart--add', 'cart--checkout'].map((name) => world.isGone(Deployment, name)))
  await Promise.all(['cart--add', 'cart--checkout'].map((name) => world.isGone(Service, name)))
  expect(await world.names(Deployment)).toEqual(['cart--list', 'cart--pay'])
  const still = await world.client.get(Deployment, world.at('cart--list'))
  expect(still?.metadata).toMatchObject({ uid: kept?.metadata.uid, generation: kept?.metadata.generation })
  const { status } = await world.runtime('cart')
  expect(status?.functions?.map(({ function_key: key }) => key)).toEqual(['list', 'pay'])
  await world.tells('Orphaned', /cart--checkout/)
})

test('another template takes over the children of the one before', async () => {
  await using world = await RuntimesWorld.make()
  await world.controller()
  await world.create('cart', { functions: [fn('add', { min_scale: 2 })] })
  await world.reaches('cart', 'available')
  await world.change('cart', { selected_template: 'dev' })
  const { status } = await world.reaches('cart', 'available')
  expect(status?.template).toBe('dev')
  expect((await world.client.get(Deployment, world.at('cart--add')))?.spec?.replicas).toBe(1)
})

test('a converged world is looked at again, also after a restart, without a single write', async () => {
  await using world = await RuntimesWorld.make()
  const first = await world.controller()
  await world.create('cart', { functions: [fn('add', { cpu_request: '1000m', memory_limit: '1Gi' }), fn('list')] })
  await world.create('users', { functions: [fn('add')], addons: ['odgm'], telemetry: { enabled: true } })
  await world.reaches('cart', 'available')
  await world.reaches('users', 'available')
  await first.stop()
  const second = await world.controller()
  const writes: string[] = []
  second.told.on('kube:request', ({ verb, resource }) => {
    if (!['get', 'list', 'watch'].includes(verb)) writes.push(`${verb} ${resource}`)
  })
  const looked = new Set<string>()
  second.told.on('reconcile:end', ({ key }) => looked.add(key.id))
  expect(await second.resync()).toBe(2)
  await expect.poll(() => looked.size, { timeout: PATIENCE_MS }).toBe(2)
  await second.stop()
  expect(writes).toEqual([])
})

test('an annotation and a label of somebody else stay', async () => {
  await using world = await RuntimesWorld.make()
  await world.controller()
  await world.create('cart')
  await world.reaches('cart', 'available')
  const merge = { metadata: { annotations: { theirs: 'yes' }, labels: { team: 'shop' } } }
  await world.client.patch(Deployment, world.at('cart--hello'), { merge })
  await world.change('cart', { functions: [fn('hello', { container_image: 'registry.example/hello:2' })] })
  const isNew = ({ spec }: Deployment) => spec?.template.spec?.containers[0]?.image === 'registry.example/hello:2'
  const { metadata } = await world.sees(Deployment, 'cart--hello', isNew)
  expect(metadata.annotations).toMatchObject({ theirs: 'yes' })
  expect(metadata.labels).toMatchObject({ team: 'shop' })
})
