import { describe, expect, test } from 'vitest'
import type { KubeObject } from '../../../kube/index.ts'
import { healthOf } from './health.ts'

const object = (kind: string, spec: object, status: object, generation = 2): KubeObject =>
  ({ apiVersion: 'v1', kind, metadata: { name: 'web', generation }, spec, status }) as unknown as KubeObject

const word = (live: KubeObject): string => {
  const health = healthOf(live)
  return health.is === 'ready' ? 'ready' : `${health.is}: ${health.because}`
}

const rolledOut = { observedGeneration: 2, replicas: 2, updatedReplicas: 2, availableReplicas: 2 }

describe('health', () => {
  test.each<[string, KubeObject, string]>([
    ['a rolled out Deployment', object('Deployment', { replicas: 2 }, rolledOut), 'ready'],
    [
      'a Deployment whose controller has not looked',
      object('Deployment', { replicas: 2 }, { ...rolledOut, observedGeneration: 1 }),
      'progressing: Deployment/web was not looked at by its controller yet',
    ],
    [
      'a Deployment without its new pods',
      object('Deployment', { replicas: 2 }, { ...rolledOut, updatedReplicas: 1 }),
      'progressing: Deployment/web has 1 of 2 replicas updated',
    ],
    [
      'a Deployment with old pods left',
      object('Deployment', { replicas: 2 }, { ...rolledOut, replicas: 3 }),
      'progressing: Deployment/web still has 1 old replicas',
    ],
    [
      'a Deployment past its deadline',
      object(
        'Deployment',
        {},
        { ...rolledOut, conditions: [{ type: 'Progressing', status: 'False', message: 'too slow' }] },
      ),
      'failing: Deployment/web too slow',
    ],
    [
      'a Deployment without quota',
      object(
        'Deployment',
        {},
        { ...rolledOut, conditions: [{ type: 'ReplicaFailure', status: 'True', message: 'quota' }] },
      ),
      'failing: Deployment/web quota',
    ],
    ['a Deployment scaled to nothing', object('Deployment', { replicas: 0 }, { observedGeneration: 2 }), 'ready'],
    [
      'a StatefulSet in the middle of its update',
      object(
        'StatefulSet',
        { replicas: 3 },
        { observedGeneration: 2, readyReplicas: 3, updatedReplicas: 1, currentRevision: 'a', updateRevision: 'b' },
      ),
      'progressing: StatefulSet/web has 1 of 3 replicas updated',
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
      'progressing: DaemonSet/web has 2 of 3 replicas available',
    ],
    ['a Job that runs', object('Job', {}, {}), 'progressing: Job/web has not completed'],
    ['a Job that is done', object('Job', {}, { conditions: [{ type: 'Complete', status: 'True' }] }), 'ready'],
    ['a Job that waits on purpose', object('Job', { suspend: true }, {}), 'ready'],
    [
      'a Job that failed',
      object('Job', {}, { conditions: [{ type: 'Failed', status: 'True', message: 'backoff limit' }] }),
      'failing: Job/web failed: backoff limit',
    ],
    ['a claim that waits for its first consumer', object('PersistentVolumeClaim', {}, { phase: 'Pending' }), 'ready'],
    [
      'a claim without its volume',
      object('PersistentVolumeClaim', {}, { phase: 'Lost' }),
      'failing: PersistentVolumeClaim/web has lost its volume',
    ],
    ['a ConfigMap', object('ConfigMap', {}, {}), 'ready'],
    ['a custom resource that says nothing', object('Certificate', {}, {}), 'ready'],
    [
      'a custom resource that is not ready',
      object('Certificate', {}, { conditions: [{ type: 'Ready', status: 'False', message: 'issuing' }] }),
      'progressing: Certificate/web is not ready: issuing',
    ],
  ])('%s is told as it is', (_, live, expected) => expect(word(live)).toBe(expected))

  test('what is being deleted is on its way, whatever its status says', () => {
    const live = object('Deployment', { replicas: 2 }, rolledOut)
    const going = { ...live, metadata: { ...live.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' } }
    expect(word(going)).toBe('progressing: Deployment/web is being deleted')
  })
})
