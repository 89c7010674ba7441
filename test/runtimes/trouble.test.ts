import { expect, test } from 'vitest'
import { ClassRuntime } from '../../src/domains/runtimes/index.ts'
import { Deployment, Namespace, Pod, Service, type CoreV1 } from '../../src/kube/index.ts'
import { SETTINGS } from './parts.ts'
import { fn, RuntimesWorld } from './world.ts'

const IMAGE = '/spec/template/spec/containers/0/image'

test('a field of somebody else is a conflict that names them, until the annotation takes it over', async () => {
  await using world = await RuntimesWorld.make()
  await world.controller()
  await world.create('cart')
  await world.reaches('cart', 'available')
  const json = [{ op: 'replace', path: IMAGE, value: 'registry.example/theirs:1' }] as const
  await world.client.patch(Deployment, world.at('cart--hello'), { json }, { fieldManager: 'kubectl-edit' })
  const { status } = await world.reaches('cart', 'degraded', 'Conflict')
  expect(status?.message).toContain('kubectl-edit')
  expect(status?.message).toContain('image')
  const theirs = await world.client.get(Deployment, world.at('cart--hello'))
  expect(theirs?.spec?.template.spec?.containers[0]?.image).toBe('registry.example/theirs:1')
  const merge = { metadata: { annotations: { 'oaas.io/force-apply': 'true' } } }
  await world.client.patch(ClassRuntime, world.at('cart'), { merge })
  await world.sees(
    Deployment,
    'cart--hello',
    ({ spec }) => spec?.template.spec?.containers[0]?.image === 'registry.example/hello:1',
  )
  await world.reaches('cart', 'available')
})

test('a stranger’s deployment of the same name is left alone, and the other functions run', async () => {
  await using world = await RuntimesWorld.make()
  const labels = { app: 'stranger' }
  const template = {
    metadata: { labels },
    spec: { containers: [{ name: 'main', image: 'registry.example/theirs:1' }] },
  }
  await world.client.create(Deployment, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: world.at('cart--add'),
    spec: { replicas: 0, selector: { matchLabels: labels }, template },
  })
  await world.controller()
  await world.create('cart', { functions: [fn('add'), fn('list')] })
  const { status } = await world.reaches('cart', 'degraded', 'Conflict')
  expect(status?.message).toContain('cart--add')
  await world.sees(Deployment, 'cart--list', (list) => list.status?.availableReplicas === 1)
  await world.client.delete(ClassRuntime, world.at('cart'))
  await world.isGone(ClassRuntime, 'cart')
  expect(await world.names(Deployment)).toEqual(['cart--add'])
})

test('a quantity that is none is told with its field, and corrected by the next spec', async () => {
  await using world = await RuntimesWorld.make()
  await world.controller()
  await world.create('cart', { functions: [fn('add', { memory_request: 'much' }), fn('list')] })
  const { status } = await world.reaches('cart', 'degraded', 'ApplyInvalid')
  expect(status?.message).toContain('spec.functions[0].provision_config.memory_request')
  expect(await world.names(Deployment)).toEqual(['cart--list'])
  await world.change('cart', { functions: [fn('add', { memory_request: '64Mi' }), fn('list')] })
  await world.reaches('cart', 'available')
})

test('a class name of 200 characters has short names that fit, and goes as it came', async () => {
  await using world = await RuntimesWorld.make()
  await world.controller()
  const name = `${'long-'.repeat(39)}class`
  expect(name).toHaveLength(200)
  await world.create(name, { functions: [fn('add'), fn('add/UP.per_case')], addons: ['odgm'] })
  await world.reaches(name, 'available')
  const names = [...(await world.names(Deployment)), ...(await world.names(Service))]
  expect(names).toHaveLength(6)
  expect(names.filter((one) => one.length > 63)).toEqual([])
  await world.client.delete(ClassRuntime, world.at(name))
  await world.isGone(ClassRuntime, name)
  expect([...(await world.names(Deployment)), ...(await world.names(Service))]).toEqual([])
})

test('what fits on no node is degraded after the timeout in the words of the scheduler, and recovers', async () => {
  await using world = await RuntimesWorld.make()
  await world.controller({ settings: { ...SETTINGS, progressTimeoutMs: 3_000 } })
  await world.create('cart', { functions: [fn('add', { cpu_request: '100000' })] })
  const { status } = await world.reaches('cart', 'degraded', 'Timeout')
  expect(status?.message).toContain('within 3 s')
  expect(status?.functions).toMatchObject([{ function_key: 'add', ready: false }])
  await world.change('cart', { functions: [fn('add', { cpu_request: '100m' })] })
  await world.reaches('cart', 'available')
})

const CRASHED: CoreV1.ContainerStatus = {
  name: 'function',
  image: 'registry.example/hello:1',
  imageID: '',
  ready: false,
  restartCount: 7,
  state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s' } },
  lastState: { terminated: { exitCode: 3, reason: 'Error', message: 'no such database' } },
}

const says = (world: RuntimesWorld, pod: string, container: CoreV1.ContainerStatus) =>
  world.client.patchStatus(Pod, world.at(pod), { merge: { status: { containerStatuses: [container] } } })

test('a crash loop names pod, container, restarts and last words, and ends when the pod is well', async () => {
  await using world = await RuntimesWorld.make()
  await world.controller({ settings: { ...SETTINGS, crashRecoveryMs: 0 } })
  await world.create('cart')
  await world.reaches('cart', 'available')
  const [pod] = await world.client.list(Pod, { namespace: world.namespace })
  const name = pod?.metadata.name ?? ''
  await says(world, name, CRASHED)
  const { status } = await world.reaches('cart', 'degraded', 'CrashLoop')
  for (const word of [name, 'function', '7 times', 'exit code 3', 'no such database']) {
    expect(status?.message).toContain(word)
  }
  await world.tells('CrashLoop', /no such database/)
  await says(world, name, { ...CRASHED, ready: true, state: { running: { startedAt: new Date(0).toISOString() } } })
  await world.reaches('cart', 'available')
})

test('a pod of the rollout before crashes, and nobody cares', async () => {
  await using world = await RuntimesWorld.make()
  await world.controller()
  await world.create('cart')
  await world.reaches('cart', 'available')
  const [old] = await world.client.list(Pod, { namespace: world.namespace })
  const name = old?.metadata.name ?? ''
  await says(world, name, CRASHED)
  await world.reaches('cart', 'degraded', 'CrashLoop')
  // Fits on no node, so that the old pod stays.
  await world.change('cart', { functions: [fn('hello', { cpu_request: '100000' })] })
  const { status } = await world.reaches('cart', 'progressing')
  expect(status?.message).toContain('waiting for Deployment/cart--hello')
  const still = await world.client.get(Pod, world.at(name))
  expect(still?.metadata.deletionTimestamp).toBeUndefined()
  expect(still?.status?.containerStatuses).toMatchObject([{ state: CRASHED.state }])
  await world.change('cart', { functions: [fn('hello', { cpu_request: '100m' })] })
  await world.reaches('cart', 'available')
})

test('a namespace that is deleted under a class takes everything along', async () => {
  await using world = await RuntimesWorld.make()
  const { told } = await world.controller()
  let failures = 0
  told.on('runtimes:acted', ({ failure }) => void (failure && failures++))
  await world.create('cart', { functions: [fn('add'), fn('list')] })
  await world.reaches('cart', 'available')
  const since = Date.now()
  await world.client.delete(Namespace, { name: world.namespace })
  await world.isGone(ClassRuntime, 'cart')
  // What is taken away is tried to be made again once at once, and then each of the four at most once a second.
  expect(failures).toBeLessThan(20 + (4 * (Date.now() - since)) / 1_000)
})
