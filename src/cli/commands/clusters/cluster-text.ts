import { actorOf } from '../../print-failure.ts'
import { formatFacts, formatList } from '../../output.ts'
import type { Cluster, ClusterFailure, NodePoolDraft, Shoot } from './cluster.ts'

const CONDITIONS = [
  { head: 'condition', cell: (row: Condition) => row.type },
  { head: 'status', cell: (row: Condition) => row.status },
  { head: 'since', cell: (row: Condition) => row.since },
  { head: 'message', cell: (row: Condition) => row.message },
]
type Condition = Shoot['conditions'][number]

const POOLS = [
  { head: 'node pool', cell: (row: NodePoolDraft) => row.name },
  { head: 'machine type', cell: (row: NodePoolDraft) => row.machine_type },
  { head: 'nodes', cell: (row: NodePoolDraft) => `${row.autoscale_min}-${row.autoscale_max}` },
]

const ERRORS = [
  { head: 'error of Gardener', cell: (row: ShootError) => row.codes.join(', ') },
  { head: 'message', cell: (row: ShootError) => row.description },
]
type ShootError = Shoot['errors'][number]

/** A cluster for a terminal: what is ordered, how far it is, what is wrong and who has to act. */
export function clusterText(cluster: Cluster): string {
  const { shoot, node_pools: pools } = cluster
  const { conditions = [], errors = [] } = shoot ?? {}
  return [
    formatFacts('table', clusterFacts(cluster)),
    formatList('table', pools, POOLS),
    ...(conditions.length > 0 ? [formatList('table', conditions, CONDITIONS)] : []),
    ...(errors.length > 0 ? [formatList('table', errors, ERRORS)] : []),
  ].join('\n')
}

function clusterFacts(cluster: Cluster): object {
  const { operation: requested, shoot } = cluster
  const { operation = null, rotation = {} } = shoot ?? {}
  const rotated = Object.entries(rotation).map(([part, phase]) => `${part} ${phase}`)
  return {
    id: cluster.id,
    organization: cluster.organization,
    name: cluster.name,
    region: cluster.region,
    version: shoot?.kubernetes_version ?? cluster.kubernetes_version,
    hibernated: cluster.hibernated,
    maintenance: maintenanceText(cluster),
    status: cluster.status,
    since: cluster.status_changed_at,
    'known to hold at': cluster.status_as_of,
    message: cluster.status_message,
    ...(operation !== null && {
      operation: `${operation.type} ${operation.state} ${operation.progress} %: ${operation.description}`,
    }),
    ...failureFacts('failure', cluster.status_failure),
    ...failureFacts('sync failure', cluster.sync_failure),
    ...(requested !== null && {
      'last request': `${requested.kind} at ${requested.requested_at}${requested.pending ? ', Gardener is yet to be asked' : ''}`,
    }),
    ...(rotated.length > 0 && { rotation: rotated.join(', ') }),
    shoot: shoot === null ? null : `${shoot.namespace}/${shoot.name}`,
    generation: `${cluster.generation}, synced ${cluster.synced_generation}`,
    ...(cluster.next_sync_at !== null && { 'next sync': cluster.next_sync_at }),
  }
}

const failureFacts = (name: string, failure: ClusterFailure | null): object =>
  failure === null
    ? {}
    : {
        [name]: `${failure.code}: ${failure.message}`,
        [`${name}: action required`]: `${actorOf(failure.whose_move)}: ${failure.next_step}`,
      }

function maintenanceText({ maintenance }: Cluster): string {
  if (maintenance === null) return "Gardener's own choice"
  const { begin, end, update_kubernetes, update_machine_image } = maintenance
  const updated = [...(update_kubernetes ? ['Kubernetes'] : []), ...(update_machine_image ? ['image of nodes'] : [])]
  return `${begin} to ${end}, updates ${updated.length === 0 ? 'nothing by itself' : updated.join(' and ')}`
}
