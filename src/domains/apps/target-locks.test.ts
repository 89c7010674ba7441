import { expect, test } from 'vitest'
import { targetsOf } from './target-locks.ts'

const object = (apiVersion: string, kind: string, name: string) => ({ apiVersion, kind, metadata: { name } })

test('a step locks the namespace and the workloads that other domains change too', () => {
  const objects = [
    object('apps/v1', 'Deployment', 'web'),
    object('v1', 'ConfigMap', 'settings'),
    object('apps/v1', 'StatefulSet', 'db'),
    object('apps/v1', 'DaemonSet', 'agent'),
    object('batch/v1', 'Job', 'migrate'),
  ]
  expect(targetsOf('shop', objects)).toEqual([
    '/namespace//shop',
    'apps/deployment/shop/web',
    'apps/statefulset/shop/db',
    'apps/daemonset/shop/agent',
  ])
})
