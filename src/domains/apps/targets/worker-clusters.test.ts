import { expect, test } from 'vitest'
import type { KubeRequest, Transport } from '../../../kube/index.ts'
import { createEmitter, manualClock, type Key } from '../../../kernel/index.ts'
import type { DeploymentRows } from '../rows.ts'
import type { TargetDeps } from './target.ts'
import { answering, workerClusters } from './worker-clusters.ts'

const NOW = new AbortController().signal

/** An API server whose storage is away or not. */
function scene(hasStorage: boolean) {
  const asked: Pick<KubeRequest, 'method' | 'path' | 'query'>[] = []
  const transport: Transport = {
    async send({ method, path, query }) {
      asked.push({ method, path, ...(query && { query }) })
      if (path === '/version' || hasStorage) return { status: 200, headers: {}, body: { metadata: {}, items: [] } }
      const message = 'etcdserver: request timed out'
      return { status: 500, headers: {}, body: { kind: 'Status', code: 500, reason: 'InternalError', message } }
    },
    stream: () => expect.fail('nothing is watched'),
  }
  return { transport, asked }
}

test('an API server answers only when its storage does', async () => {
  await expect(answering(scene(false).transport, NOW)).rejects.toThrow('etcdserver: request timed out')
})

test('one object at most is read to find that out', async () => {
  const { transport, asked } = scene(true)
  await answering(transport, NOW)
  expect(asked).toEqual([{ method: 'GET', path: '/api/v1/namespaces', query: { limit: 1 } }])
})

test('runs that wait for a cluster that is gone are woken', async () => {
  const app = { id: '1', userId: 'u', namespaceName: 'ns', isDeleted: false }
  const woken: Key[] = []
  const rows: Pick<DeploymentRows, 'living' | 'findIn'> = {
    living: async (after) => (after === undefined ? [app] : []),
    findIn: async (clusterId) => (clusterId === 'c1' ? [app] : []),
  }
  const clock = manualClock(0)
  const queue = { wake: async (key: Key) => void woken.push(key) }
  const { targets, services } = workerClusters(
    {
      access: { kubeconfig: async () => undefined },
      connect: () => expect.fail('it is gone'),
      inUse: async () => ['c1'],
    },
    { clock, rows, queue, emitter: createEmitter() } as unknown as TargetDeps,
  )
  expect(await targets.use('c1', () => 1_000, NOW)).toBe('gone')
  await expect.poll(() => woken).toEqual([{ kind: 'Deployment', id: '1' }])
  for (const each of services.toReversed()) await each.stop()
})
