import type { AdminApi } from './api.ts'
import { SIMULATED } from './components.ts'

const SIZE = { cpu: '64', memory: '256Gi', pods: '500', 'ephemeral-storage': '1Ti' }

/** A simulated node; KWOK keeps it ready and reports its pods as running. */
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

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases'

/**
 * Deletes the node leases of an earlier run. KWOK would wait until they expire and run no pods until then.
 */
export async function freeNodes(api: AdminApi): Promise<void> {
  await api.call('DELETE', LEASES)
}

/** Whether KWOK holds the leases of the nodes and the nodes are ready. */
export async function areNodesKept(api: AdminApi, count: number): Promise<boolean> {
  const [leases, nodes] = await Promise.all([itemsOf(api, LEASES), itemsOf(api, '/api/v1/nodes')])
  return leases.length >= count && nodes.filter(isReady).length >= count
}

interface Item {
  readonly status?: { readonly conditions?: ReadonlyArray<{ readonly type: string; readonly status: string }> }
}

async function itemsOf(api: AdminApi, path: string): Promise<readonly Item[]> {
  const list = await api.call('GET', path).catch(() => undefined)
  return (list?.['items'] ?? []) as Item[]
}

const isReady = ({ status }: Item): boolean =>
  status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false
