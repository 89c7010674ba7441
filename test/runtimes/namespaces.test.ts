import { expect, test } from 'vitest'
import { ClassRuntime } from '../../src/domains/runtimes/index.ts'
import { Deployment } from '../../src/kube/index.ts'
import { freshNamespace } from '../support/kube.ts'
import { fn, PATIENCE_MS, RuntimesWorld } from './world.ts'

const PATIENT = { timeout: PATIENCE_MS }

test('one controller converges, repairs and cleans up in several namespaces, and leaves the others alone', async () => {
  await using world = await RuntimesWorld.make()
  const { client } = world
  await using second = await freshNamespace(client)
  await using foreign = await freshNamespace(client)
  const namespaces = [world.namespace, second.name]
  const { caches } = await world.controller({ namespaces })
  const at = (namespace: string) => ({ namespace, name: 'cart' })
  for (const namespace of [foreign.name, ...namespaces]) {
    await client.create(ClassRuntime, {
      apiVersion: 'oaas.io/v1alpha1',
      kind: 'ClassRuntime',
      metadata: at(namespace),
      spec: { selected_template: 'k8s_deployment', addons: [], functions: [fn('hello')] },
    })
  }
  const phaseIn = async (namespace: string) => (await client.get(ClassRuntime, at(namespace)))?.status?.phase
  for (const namespace of namespaces) await expect.poll(() => phaseIn(namespace), PATIENT).toBe('available')
  expect(caches.runtimes.size).toBe(2)
  expect(caches.runtimes.list(second.name).map(({ metadata }) => metadata.namespace)).toEqual([second.name])

  const child = { namespace: second.name, name: 'cart--hello' }
  const { uid = '' } = (await client.get(Deployment, child))?.metadata ?? {}
  await client.delete(Deployment, child, { uid })
  const isNew = async () => {
    const { uid: now = uid } = (await client.get(Deployment, child))?.metadata ?? {}
    return now !== uid
  }
  await expect.poll(isNew, PATIENT).toBe(true)
  for (const namespace of namespaces) await client.delete(ClassRuntime, at(namespace))
  for (const namespace of namespaces) {
    await expect.poll(() => client.get(ClassRuntime, at(namespace)), PATIENT).toBeUndefined()
  }
  // Made first, so that it would have been seen first.
  expect(await phaseIn(foreign.name)).toBeUndefined()
  expect(await client.list(Deployment, { namespace: foreign.name })).toEqual([])
})
