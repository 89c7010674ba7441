import { expect, test } from 'vitest'
import { manualClock, seededRandom } from '../../../kernel/index.ts'
import { makeClient } from '../../client/make-client.ts'
import { ConfigMap, Namespace } from '../../types/core-v1.ts'
import { FakeKubernetes } from '../server.ts'

async function stage(finalizers: readonly string[] = []) {
  const kubernetes = new FakeKubernetes({
    clock: manualClock(),
    random: seededRandom(1),
    namespaces: ['shop', 'other'],
  })
  const client = makeClient(kubernetes.transport(), { fieldManager: 'test' })
  const at = { namespace: 'shop', name: 'note' }
  for (const namespace of ['shop', 'other'])
    await client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...at, namespace, finalizers } })
  await client.delete(Namespace, { name: 'shop' })
  return { kubernetes, client, at }
}

test('a terminating namespace goes with everything that is in it', async () => {
  const { kubernetes, client, at } = await stage()
  expect((await client.get(Namespace, { name: 'shop' }))?.status?.phase).toBe('Terminating')
  kubernetes.collectGarbage()
  expect(await client.get(Namespace, { name: 'shop' })).toBeUndefined()
  expect(await client.get(ConfigMap, at)).toBeUndefined()
  expect(await client.get(ConfigMap, { ...at, namespace: 'other' })).toBeDefined()
})

test('a terminating namespace stays while a finalizer holds what is in it', async () => {
  const { kubernetes, client, at } = await stage(['example.com/hold'])
  kubernetes.collectGarbage()
  expect((await client.get(ConfigMap, at))?.metadata.deletionTimestamp).toBeDefined()
  expect(await client.get(Namespace, { name: 'shop' })).toBeDefined()
  await client.patch(ConfigMap, at, { merge: { metadata: { finalizers: [] } } })
  kubernetes.collectGarbage()
  expect(await client.get(Namespace, { name: 'shop' })).toBeUndefined()
})
