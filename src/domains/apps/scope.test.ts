import { expect, test } from 'vitest'
import type { KubeObject } from '../../kube/index.ts'
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
  const granted = [{ group: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'reader' }]
  expect(isInScope(ROLE, 'shop', granted)).toBe(true)
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
