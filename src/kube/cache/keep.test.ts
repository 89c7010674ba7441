import { expect, test } from 'vitest'
import { keeping, withoutManagedFields } from './keep.ts'

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'web',
    namespace: 'shop',
    uid: 'u1',
    resourceVersion: '7',
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { app: 'web', 'example.com/tier': 'front' },
    managedFields: [],
  },
  spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', message: 'long' }] },
}

const identity = { name: 'web', namespace: 'shop', uid: 'u1', resourceVersion: '7' }

test.each([
  ['nothing but identity', [], {}, {}],
  ['one field', ['spec.nodeName'], {}, { spec: { nodeName: 'n1' } }],
  [
    'fields inside arrays',
    ['status.conditions.type', 'status.conditions.status'],
    {},
    { status: { conditions: [{ type: 'Ready', status: 'True' }] } },
  ],
  [
    'a shorter path wins over a longer',
    ['status.conditions.type', 'status.conditions'],
    {},
    { status: { conditions: pod.status.conditions } },
  ],
  [
    'in any order',
    ['status.conditions', 'status.conditions.type'],
    {},
    { status: { conditions: pod.status.conditions } },
  ],
  ['metadata beside identity', ['metadata.creationTimestamp'], { creationTimestamp: '2026-01-01T00:00:00Z' }, {}],
  ['a key with dots', ['metadata.labels.example\\.com/tier'], { labels: { 'example.com/tier': 'front' } }, {}],
  ['what is not there', ['spec.hostname', 'status.podIPs.ip'], {}, { spec: {}, status: {} }],
])('keeps %s', (_, paths, metadata, rest) => {
  expect(keeping(...paths)(pod)).toEqual({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...identity, ...metadata },
    ...rest,
  })
})

test('managed fields are dropped without touching the object', () => {
  expect(withoutManagedFields(pod).metadata).not.toHaveProperty('managedFields')
  expect(pod.metadata).toHaveProperty('managedFields')
})
