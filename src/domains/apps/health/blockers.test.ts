import { expect, test } from 'vitest'
import { manualClock, seededRandom } from '../../../kernel/index.ts'
import { FakeKubernetes } from '../../../kube/fake/index.ts'
import { ConfigMap, discovery, makeClient, type CoreV1 } from '../../../kube/index.ts'
import { blockersOf } from './blockers.ts'

const condition = (type: string, message: string) => ({ type, message, status: 'True', reason: 'Some' })

const TERMINATING = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'shop' },
  status: {
    conditions: [
      condition(
        'NamespaceContentRemaining',
        'Some resources are remaining: configmaps. has 1 resource instances, widgets.example.com has 2 resource instances',
      ),
      condition(
        'NamespaceFinalizersRemaining',
        'Some content in the namespace has finalizers remaining: example.com/hold in 3 resource instances',
      ),
    ],
  },
} as CoreV1.Namespace

test('what holds a namespace is named as exactly as whoever asks may know', async () => {
  const clock = manualClock()
  const cluster = new FakeKubernetes({ clock, random: seededRandom(1), namespaces: ['shop'] })
  const transport = cluster.transport()
  const admin = makeClient(transport, { fieldManager: 'test' })
  const metadata = { namespace: 'shop', name: 'page', finalizers: ['example.com/hold'] }
  await admin.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata })
  await admin.delete(ConfigMap, { namespace: 'shop', name: 'page' })
  const kinds = discovery(transport, clock)
  const why = 'its owner has not removed it'
  expect(await blockersOf(admin, kinds, TERMINATING)).toEqual([
    { kind: 'object', name: 'ConfigMap page', finalizer: 'example.com/hold', why },
  ])
  expect(await blockersOf(admin.as({ user: 'nobody' }), kinds, TERMINATING)).toEqual([
    { kind: 'object', name: '1 configmaps, 2 widgets.example.com', finalizer: 'example.com/hold', why },
  ])
})
