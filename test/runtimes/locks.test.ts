import { expect, test } from 'vitest'
import { ClassRuntime } from '../../src/domains/runtimes/index.ts'
import { targetName } from '../../src/kernel/index.ts'
import { Deployment, kubeLocks } from '../../src/kube/index.ts'
import { fn, RuntimesWorld } from './world.ts'

test('the controller waits for a workload that another domain holds, and creates one without asking', async () => {
  await using world = await RuntimesWorld.make()
  const locks = kubeLocks({ client: world.client, namespace: world.namespace })
  await world.controller({ locks })
  const target = targetName('apps', 'Deployment', world.namespace, 'cart--hello')
  const answer = await locks.acquire(target, { holder: 'remediation of cart', ttlMs: 600_000 })
  expect(answer.held).toBe(true)
  await world.create('cart')
  await world.reaches('cart', 'available')

  await world.change('cart', { functions: [fn('hello', { container_image: 'registry.example/hello:2' })] })
  const isTold = (one: ClassRuntime) => one.status?.message?.includes('remediation of cart') === true
  const { status } = await world.sees(ClassRuntime, 'cart', isTold)
  expect(status?.phase).toBe('applying')
  expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'Progressing', reason: 'TargetLocked' }))
  expect(status?.message).toContain(`${target} is held by remediation of cart until 20`)
  const before = await world.client.get(Deployment, world.at('cart--hello'))
  expect(before?.spec?.template.spec?.containers[0]?.image).toBe('registry.example/hello:1')

  if (answer.held) await answer.lock.release()
  const isNew = ({ spec }: Deployment) => spec?.template.spec?.containers[0]?.image === 'registry.example/hello:2'
  await world.sees(Deployment, 'cart--hello', isNew)
  await world.reaches('cart', 'available')
})

test('a lock holder that was paused writes nothing to its target after another domain took the lock', async () => {
  await using world = await RuntimesWorld.make()
  const maker = await world.controller()
  await world.create('cart')
  await world.reaches('cart', 'available')
  await maker.stop()
  await world.change('cart', { functions: [fn('hello', { container_image: 'registry.example/hello:2' })] })
  const stopAt = { when: 'paused', method: 'PATCH', path: '/deployments/cart--hello$' } as const
  const first = await world.process({ isLocking: true, stopAt })
  await first.reached

  const locks = kubeLocks({ client: world.client, namespace: world.namespace })
  const target = targetName('apps', 'Deployment', world.namespace, 'cart--hello')
  const isTaken = async (): Promise<boolean> =>
    (await locks.acquire(target, { holder: 'actions/restart', ttlMs: 600_000 })).held
  expect(await isTaken()).toBe(false)
  await expect.poll(isTaken, { timeout: 60_000, interval: 500 }).toBe(true)
  first.proceed()
  const isTold = (one: ClassRuntime) => one.status?.message?.includes('actions/restart') === true
  await world.sees(ClassRuntime, 'cart', isTold)
  const onTarget = first.lines.filter((line) => line.includes('/deployments/'))
  expect(new Set(onTarget.map((line) => line.split(' ', 1)[0]))).toEqual(new Set(['refused']))
})
