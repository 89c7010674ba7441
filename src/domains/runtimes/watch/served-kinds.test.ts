import { expect, test, vi } from 'vitest'
import { createEmitter, manualClock, seededRandom } from '../../../kernel/index.ts'
import { CustomResourceDefinition, makeClient, type KubeObject, type WatchEvents } from '../../../kube/index.ts'
import { FakeKubernetes } from '../../../kube/fake/index.ts'
import { openChildCache } from './caches.ts'
import { apis } from './served-kinds.ts'

const definition = (n: number): KubeObject =>
  ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'others.example.com', labels: { n: `${n}` } },
    spec: {
      group: 'example.com',
      names: { kind: 'Other', plural: 'others' },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  }) as unknown as KubeObject

test('changes of definitions leave no listeners behind', async () => {
  const clock = manualClock()
  const kubernetes = new FakeKubernetes({ clock, random: seededRandom(1) })
  const client = makeClient(kubernetes.transport(), { fieldManager: 'test' })
  const watching = { source: client, clock, emitter: createEmitter<WatchEvents>(), random: () => 0.5 }
  const added = vi.spyOn(EventTarget.prototype, 'addEventListener')
  const removed = vi.spyOn(EventTarget.prototype, 'removeEventListener')
  const listeners = (): number => added.mock.calls.length - removed.mock.calls.length
  const served = apis({
    watching,
    clock,
    open: (kind) => openChildCache(watching, kind),
    listen: () => () => {},
    onChange() {},
  })
  await served.start()
  const before = listeners()
  for (let n = 0; n < 20; n++) {
    await client.apply(CustomResourceDefinition, definition(n) as CustomResourceDefinition, { force: true })
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
  }
  expect(listeners() - before).toBe(0)
  await served.stop()
})
