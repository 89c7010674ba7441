import { expect, test } from 'vitest'
import type { KubeObject } from '../../kube/index.ts'
import { contentOf } from './grants/grant.ts'
import { assertInScope, isInScope, offencesIn } from './scope.ts'

const object = (apiVersion: string, kind: string, name: string, namespace?: string): KubeObject => ({
  apiVersion,
  kind,
  metadata: namespace === undefined ? { name } : { name, namespace },
})

const OWN = object('v1', 'ConfigMap', 'page', 'shop')
const ROLE = object('rbac.authorization.k8s.io/v1', 'ClusterRole', 'reader')

test('what is in the namespace of the release is in its scope, and nothing else is', () => {
  expect(
    offencesIn(
      [OWN, object('v1', 'ConfigMap', 'page', 'kube-system'), ROLE, object('v1', 'Namespace', 'shop')],
      'shop',
    ),
  ).toEqual([
    { object: 'ConfigMap/page in namespace kube-system', is: 'elsewhere' },
    { object: 'ClusterRole/reader', is: 'clusterScoped' },
    { object: 'Namespace/shop', is: 'namespace' },
  ])
  // A kind of somebody else that has the same name.
  expect(isInScope(object('example.com/v1', 'Namespace', 'x', 'shop'), 'shop')).toBe(true)
})

test('a cluster-scoped object is in scope where exactly it was granted', () => {
  const content = contentOf(ROLE)
  const grant = { group: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'reader', content, isRevoked: false }
  const granted = [grant]
  expect(isInScope(ROLE, 'shop', granted)).toBe(true)
  const marked = { 'meta.helm.sh/release-name': 'shop', 'meta.helm.sh/release-namespace': 'shop' }
  expect(isInScope({ ...ROLE, metadata: { name: 'reader', annotations: marked } }, 'shop', granted)).toBe(true)
  const more: KubeObject = { ...ROLE, rules: [{ verbs: ['*'] }] } as KubeObject
  expect(offencesIn([more], 'shop', granted)).toEqual([
    { object: 'ClusterRole/reader', is: 'otherThanGranted', parts: ['rules'] },
  ])
  const labelled = { ...ROLE, metadata: { name: 'reader', labels: { 'example.com/aggregate': 'true' } } }
  expect(isInScope(labelled, 'shop', granted)).toBe(false)
  expect(offencesIn([ROLE], 'shop', [{ ...grant, isRevoked: true }])).toEqual([
    { object: 'ClusterRole/reader', is: 'revoked' },
  ])
  const others = [
    object('rbac.authorization.k8s.io/v1', 'ClusterRole', 'writer'),
    object('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', 'reader'),
    object('v1', 'ClusterRole', 'reader'),
  ]
  expect(others.filter((one) => isInScope(one, 'shop', granted))).toEqual([])
})

test('a refusal names the objects, and says of many how many more there are', () => {
  const many = Array.from({ length: 23 }, (_, index) => object('v1', 'PersistentVolume', `v${index}`))
  expect(() => assertInScope(many, 'shop')).toThrow(/PersistentVolume\/v0 \(cluster-scoped\), .* and 3 more$/)
  expect(() => assertInScope([OWN], 'shop')).not.toThrow()
})
