import { describe, expect, test } from 'vitest'
import { objectHealth } from './health.ts'
import type { KubeObject } from './objects.ts'

const object = (kind: string, spec: object, status: object, generation = 2): KubeObject =>
  ({ apiVersion: 'v1', kind, metadata: { name: 'web', generation }, spec, status }) as unknown as KubeObject

const word = (live: KubeObject): string => {
  const health = objectHealth(live)
  return health.is === 'ready' ? 'ready' : `${health.is}: ${health.because}`
}

const rolledOut = { observedGeneration: 2, replicas: 2, updatedReplicas: 2, availableReplicas: 2 }

describe('health', () => {
  test.each<[string, KubeObject, string]>([
    ['a rolled out Deployment', object('Deployment', { replicas: 2 }, rolledOut), 'ready'],
    [
      'a Deployment that was changed since its controller observed it',
      object('Deployment', { replicas: 2 }, { ...rolledOut, observedGeneration: 1 }),
      'progressing: has not been observed by its controller yet',
    ],
    [
      'a Deployment without its new pods',
      object('Deployment', { replicas: 2 }, { ...rolledOut, updatedReplicas: 1 }),
      'progressing: has 1 of 2 replicas updated',
    ],
    [
      'a Deployment with old pods left',
      object('Deployment', { replicas: 2 }, { ...rolledOut, replicas: 3 }),
      'progressing: still has 1 old replicas',
    ],
    [
      'a Deployment past its deadline',
      object(
        'Deployment',
        {},
        { ...rolledOut, conditions: [{ type: 'Progressing', status: 'False', message: 'too slow' }] },
      ),
      'failing: too slow',
    ],
    [
      'a Deployment without quota',
      object(
        'Deployment',
        {},
        { ...rolledOut, conditions: [{ type: 'ReplicaFailure', status: 'True', message: 'quota' }] },
      ),
      'progressing: quota',
    ],
    [
      'a Deployment on its way down, all of whose replicas are updated',
      object('Deployment', { replicas: 1 }, { ...rolledOut, replicas: 3, updatedReplicas: 3, availableReplicas: 3 }),
      'ready',
    ],
    ['a Deployment scaled to nothing', object('Deployment', { replicas: 0 }, { observedGeneration: 2 }), 'ready'],
    [
      'a StatefulSet in the middle of its update',
      object(
        'StatefulSet',
        { replicas: 3 },
        { observedGeneration: 2, readyReplicas: 3, updatedReplicas: 1, currentRevision: 'a', updateRevision: 'b' },
      ),
      'progressing: has 1 of 3 replicas updated',
    ],
    [
      'a StatefulSet that is updated in part on purpose',
      object(
        'StatefulSet',
        { replicas: 3, updateStrategy: { rollingUpdate: { partition: 2 } } },
        { observedGeneration: 2, readyReplicas: 3, updatedReplicas: 1, currentRevision: 'a', updateRevision: 'b' },
      ),
      'ready',
    ],
    [
      'a DaemonSet missing on a node',
      object(
        'DaemonSet',
        {},
        { observedGeneration: 2, desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberAvailable: 2 },
      ),
      'progressing: has 2 of 3 replicas available',
    ],
    ['a Job that runs', object('Job', {}, {}), 'progressing: has not completed'],
    ['a Job that is done', object('Job', {}, { conditions: [{ type: 'Complete', status: 'True' }] }), 'ready'],
    ['a Job that waits on purpose', object('Job', { suspend: true }, {}), 'ready'],
    [
      'a Job that failed',
      object('Job', {}, { conditions: [{ type: 'Failed', status: 'True', message: 'backoff limit' }] }),
      'failing: failed: backoff limit',
    ],
    ['a claim that waits for its first consumer', object('PersistentVolumeClaim', {}, { phase: 'Pending' }), 'ready'],
    [
      'a claim without its volume',
      object('PersistentVolumeClaim', {}, { phase: 'Lost' }),
      'failing: has lost its volume',
    ],
    ['a Service inside the cluster', object('Service', { type: 'ClusterIP' }, {}), 'ready'],
    [
      'a load balancer without an address',
      object('Service', { type: 'LoadBalancer' }, { loadBalancer: {} }),
      'progressing: has no address of a load balancer yet',
    ],
    [
      'a load balancer with an address',
      object('Service', { type: 'LoadBalancer' }, { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } }),
      'ready',
    ],
    [
      'a load balancer with external addresses of its own',
      object('Service', { type: 'LoadBalancer', externalIPs: ['192.0.2.1'] }, {}),
      'ready',
    ],
    ['a Pod that is ready', object('Pod', {}, { conditions: [{ type: 'Ready', status: 'True' }] }), 'ready'],
    ['a Pod that has ended well', object('Pod', {}, { phase: 'Succeeded' }), 'ready'],
    ['a Pod that failed', object('Pod', {}, { phase: 'Failed', reason: 'Evicted' }), 'failing: failed: Evicted'],
    [
      'a ReplicaSet without all its pods',
      object('ReplicaSet', { replicas: 2 }, { observedGeneration: 2, readyReplicas: 1 }),
      'progressing: has 1 of 2 replicas ready',
    ],
    [
      'a custom resource of the same kind as a built-in one',
      {
        ...object('Service', {}, { conditions: [{ type: 'Ready', status: 'Unknown', reason: 'Deploying' }] }),
        apiVersion: 'serving.knative.dev/v1',
      },
      'progressing: is not ready: Deploying',
    ],
    ['a ConfigMap', object('ConfigMap', {}, {}), 'ready'],
    ['a custom resource that says nothing', object('Certificate', {}, {}), 'ready'],
    [
      'a custom resource that is not ready',
      object('Certificate', {}, { conditions: [{ type: 'Ready', status: 'False', message: 'issuing' }] }),
      'progressing: is not ready: issuing',
    ],
  ])('%s is told as it is', (_, live, expected) => expect(word(live)).toBe(expected))

  test('what is being deleted is on its way, whatever its status says', () => {
    const live = object('Deployment', { replicas: 2 }, rolledOut)
    const going = { ...live, metadata: { ...live.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' } }
    expect(word(going)).toBe('progressing: is being deleted')
  })
})

test.each<[string, object, boolean]>([
  ['some replicas answer', { ...rolledOut, availableReplicas: 1 }, false],
  ['none answers', { ...rolledOut, availableReplicas: 0 }, true],
  ['its controller has not seen it', {}, true],
  [
    'fewer answer than it may go without',
    { ...rolledOut, availableReplicas: 1, conditions: [{ type: 'Available', status: 'False' }] },
    true,
  ],
])('a Deployment of which %s', (_, status, isDown) => {
  const health = objectHealth(object('Deployment', { replicas: 2 }, status))
  expect(health.is === 'progressing' && health.isDown === true).toBe(isDown)
})
