import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../kube/index.ts'
import { REVISION, supersededPods } from './superseded-pods.ts'
import type { ObservedChild } from '../types.ts'

const deployment = (over: {
  readonly revision?: string
  readonly generation?: number
  readonly seen?: number
}): ObservedChild => {
  const { revision, generation = 2, seen = generation } = over
  const annotations = revision === undefined ? {} : { [REVISION]: revision }
  const metadata = { name: 'cart--add', uid: 'd', generation, annotations }
  const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata, status: { observedGeneration: seen } }
  return { kind: 'Deployment', name: 'cart--add', uid: 'd', deleting: false, object }
}

const replicaSet = (hash: string, revision: string, owner = 'd'): Pick<KubeObject, 'metadata'> => ({
  metadata: {
    name: `cart--add-${hash}`,
    labels: { 'pod-template-hash': hash },
    annotations: { [REVISION]: revision },
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'cart--add', uid: owner, controller: true }],
  },
})

const knative = (latestCreatedRevisionName: string | undefined, seen = 2): ObservedChild => {
  const metadata = { name: 'cart--add', uid: 'k', generation: 2 }
  const status = { observedGeneration: seen, ...(latestCreatedRevisionName && { latestCreatedRevisionName }) }
  const object = { apiVersion: 'serving.knative.dev/v1', kind: 'Service', metadata, status }
  return { kind: 'KnativeService', name: 'cart--add', uid: 'k', deleting: false, object }
}

const podOf = (labels: Readonly<Record<string, string>>) => ({ metadata: { name: 'p', labels } })
const hashed = (hash: string) => podOf({ 'pod-template-hash': hash })
const ofRevision = (revision: string, service = 'cart--add') =>
  podOf({
    'serving.knative.dev/service': service,
    'serving.knative.dev/revision': revision,
    'pod-template-hash': 'old',
  })

describe('a pod of a Deployment', () => {
  const both = [replicaSet('old', '1'), replicaSet('new', '2')]
  it.each([
    ['of an older ReplicaSet is superseded', deployment({ revision: '2' }), both, 'old', true],
    ['of the newest ReplicaSet is current', deployment({ revision: '2' }), both, 'new', false],
    [
      'of a ReplicaSet that a rollback brought back is current',
      deployment({ revision: '11' }),
      [replicaSet('old', '11'), replicaSet('new', '9')],
      'old',
      false,
    ],
    [
      'of the ReplicaSet that was rolled back is superseded',
      deployment({ revision: '11' }),
      [replicaSet('old', '11'), replicaSet('new', '9')],
      'new',
      true,
    ],
    [
      'counts while the newest spec is not seen yet',
      deployment({ revision: '2', generation: 3, seen: 2 }),
      both,
      'old',
      false,
    ],
    ['counts while the newest ReplicaSet is not seen yet', deployment({ revision: '3' }), both, 'old', false],
    ['counts while the Deployment is behind its ReplicaSets', deployment({ revision: '1' }), both, 'new', false],
    ['counts while the Deployment has no revision', deployment({}), both, 'old', false],
    ['counts when its ReplicaSet is not seen', deployment({ revision: '2' }), both, 'other', false],
    [
      'counts when its ReplicaSet belongs to another Deployment',
      deployment({ revision: '2' }),
      [replicaSet('old', '1', 'another'), replicaSet('new', '2')],
      'old',
      false,
    ],
  ])('%s', (_, child, replicaSets, hash, isSuperseded) => {
    expect(supersededPods([child], replicaSets)(hashed(hash))).toBe(isSuperseded)
  })
})

describe('a pod of a service of Knative', () => {
  it.each([
    ['of an older Revision is superseded', knative('cart--add-2'), ofRevision('cart--add-1'), true],
    ['of the Revision that was created last is current', knative('cart--add-2'), ofRevision('cart--add-2'), false],
    ['counts while no Revision was created', knative(undefined), ofRevision('cart--add-1'), false],
    ['counts while Knative has not seen the newest spec', knative('cart--add-2', 1), ofRevision('cart--add-1'), false],
    ['of another service counts', knative('cart--add-2'), ofRevision('other-1', 'other'), false],
    ['without a Revision counts', knative('cart--add-2'), podOf({ 'serving.knative.dev/service': 'cart--add' }), false],
  ])('%s', (_, child, pod, isSuperseded) => {
    expect(supersededPods([child], [])(pod)).toBe(isSuperseded)
  })
})
