import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { DriftWatch } from '../../../src/domains/apps/drift/watch.ts'
import { DEPLOYMENT_LABEL, USER_LABEL } from '../../../src/domains/apps/fence.ts'
import type { AppsEvents } from '../../../src/domains/apps/index.ts'
import { createEmitter, startAll, systemClock, type Wake } from '../../../src/kernel/index.ts'
import { ConfigMap, discovery, makeClient, Namespace, type WatchEvents } from '../../../src/kube/index.ts'
import { testTransport } from '../../support/kube.ts'

test('what is touched wakes its deployment, and no tenant of a label', async () => {
  await using transport = await testTransport()
  const client = makeClient(transport, { fieldManager: 'helm' })
  const wakes: { readonly id: string; readonly wake: Wake }[] = []
  const watch = new DriftWatch({
    client,
    discovery: discovery(transport, systemClock),
    queue: { wake: async ({ id }, wake) => void wakes.push({ id, wake }) },
    kinds: async () => ['v1/ConfigMap', 'nowhere.example.com/v1/Thing'],
    clock: systemClock,
    random: Math.random,
    emitter: createEmitter<WatchEvents & AppsEvents>(),
  })
  const stop = await startAll([watch])
  const id = randomBytes(4).toString('hex')
  const namespace = `touched-${id}`
  const labels = { [DEPLOYMENT_LABEL]: id, [USER_LABEL]: 'ada' }
  try {
    await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } })
    const page = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace, name: 'page', labels: { 'app.kubernetes.io/managed-by': 'Helm' } },
    } as const
    await client.apply(ConfigMap, page)
    // What was followed before this watch began is followed from its start.
    const isWatched = (): boolean => watch.glimpse(namespace)?.objects.get('v1/ConfigMap')?.length === 1
    await expect.poll(isWatched, { timeout: 20_000 }).toBe(true)
    const ours = () => wakes.filter((one) => one.id === id)
    await client.patch(ConfigMap, page.metadata, { merge: { data: { text: 'mine' } } }, { fieldManager: 'somebody' })
    await expect.poll(() => ours().length, { timeout: 20_000 }).toBe(1)
    await client.delete(ConfigMap, page.metadata)
    await expect.poll(() => ours().length, { timeout: 20_000 }).toBe(2)
    expect(ours().map(({ wake }) => wake)).toEqual([{ reason: 'drift' }, { reason: 'drift' }])
  } finally {
    await client.delete(Namespace, { name: namespace })
    await stop()
  }
})
