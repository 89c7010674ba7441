import { describe, expect, test } from 'vitest'
import type { Deployment, KubeObject } from '../../../kube/index.ts'
import type { KnativeService } from '../watch/optional-kinds.ts'
import type { ObservedChild } from '../types.ts'
import { deploymentReady, knativeReady } from './readiness.ts'

const seen = (kind: ObservedChild['kind'], object: object): ObservedChild => ({
  kind,
  name: 'cart--add',
  uid: 'u',
  deleting: false,
  object: { metadata: { name: 'cart--add', generation: 3 }, ...object } as KubeObject,
})

const deployment = (replicas: number | undefined, status: Deployment['status']) =>
  deploymentReady(seen('Deployment', { spec: replicas === undefined ? {} : { replicas }, status }), [])

const fresh = (replicas: number, updated: number, available: number) => ({
  observedGeneration: 3,
  replicas,
  updatedReplicas: updated,
  availableReplicas: available,
})

describe('a Deployment', () => {
  test.each([
    ['all replicas available', 2, fresh(2, 2, 2), true, '2 of 2 replicas available'],
    ['more than wanted, on the way down', 1, fresh(3, 3, 3), true, '3 of 1 replicas available'],
    ['scaled to none', 0, fresh(0, 0, 0), true, '0 of 0 replicas available'],
    ['one available of two', 2, fresh(2, 2, 1), false, '1 of 2 replicas available'],
    ['nothing there yet', 2, fresh(0, 0, 0), false, '0 of 2 replicas updated'],
    ['old pods serve, the new one does not', 1, fresh(2, 1, 1), false, '1 old replicas still there, 1 of 1 available'],
    ['replicas not said', undefined, fresh(1, 1, 1), true, '1 of 1 replicas available'],
  ])('%s', (_case, replicas, status, ready, message) => {
    expect(deployment(replicas, status)).toMatchObject({ ready, message })
  })

  test('what was said about an older generation does not count', () => {
    expect(deployment(2, { ...fresh(2, 2, 2), observedGeneration: 2 })).toMatchObject({
      ready: false,
      reason: 'NotObserved',
    })
    expect(deployment(1, undefined)).toMatchObject({ ready: false, reason: 'NotObserved' })
  })

  test('refused pods are told in the words of whoever refused them', () => {
    const message = 'pods "cart--add-x" is forbidden: exceeded quota: small'
    const conditions = [{ type: 'ReplicaFailure', status: 'True', message }]
    expect(deployment(2, { ...fresh(0, 0, 0), conditions }).message).toBe(`0 of 2 replicas updated: ${message}`)
  })
})

describe('a service of Knative', () => {
  const knative = (status: KnativeService['status']) => knativeReady(seen('KnativeService', { status }), [])
  const saying = (status: string, more: object = {}) => ({
    observedGeneration: 3,
    conditions: [{ type: 'Ready', status, ...more }],
  })

  test.each([
    ['ready', saying('True'), true, 'KnativeReady'],
    ['not ready', saying('False', { reason: 'RevisionMissing', message: 'no revision' }), false, 'RevisionMissing'],
    ['not known', saying('Unknown'), false, 'KnativeNotReady'],
    ['nothing said', { observedGeneration: 3 }, false, 'KnativeNotReady'],
    ['ready, but an older generation', { ...saying('True'), observedGeneration: 2 }, false, 'NotObserved'],
    ['never seen by Knative', undefined, false, 'NotObserved'],
  ])('%s', (_case, status, ready, reason) => {
    expect(knative(status)).toMatchObject({ ready, reason })
  })
})
