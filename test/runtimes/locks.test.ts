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
