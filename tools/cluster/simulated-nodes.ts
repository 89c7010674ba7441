import type { AdminApi } from './api.ts'
import { SIMULATED } from './components.ts'

const SIZE = { cpu: '64', memory: '256Gi', pods: '500', 'ephemeral-storage': '1Ti' }

/** A node that exists on paper; KWOK keeps it ready and pretends to run its pods. */
const node = (name: string): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name,
    annotations: { [SIMULATED]: 'fake' },
    labels: {
      type: 'kwok',
      'kubernetes.io/hostname': name,
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
    },
  },
  status: { allocatable: SIZE, capacity: SIZE },
})

export async function createSimulatedNodes(api: AdminApi, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => `kwok-${index}`)
  const made = await Promise.all(names.map((name) => api.call('POST', '/api/v1/nodes', node(name))))
  if (made.includes(undefined)) throw new Error('failed to create the simulated nodes: the API server refused them')
}

interface NodeList {
  readonly items?: ReadonlyArray<{
    readonly status?: { readonly conditions?: ReadonlyArray<{ readonly type: string; readonly status: string }> }
  }>
}

export async function areNodesReady(api: AdminApi, count: number): Promise<boolean> {
  const { items = [] } = ((await api.call('GET', '/api/v1/nodes').catch(() => undefined)) ?? {}) as NodeList
  const ready = items.filter((item) =>
    item.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True'),
  )
  return ready.length >= count
}
