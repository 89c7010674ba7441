import { expect, test } from 'vitest'
import type { RestClient } from '../../client.ts'
import { clusterText } from './cluster-text.ts'
import type { Cluster, ClusterFailure, Shoot } from './cluster.ts'
import { untilGone } from './wait.ts'

const SINCE = '2026-11-15T10:00:00.000Z'

const failure = (code: string, whose_move: ClusterFailure['whose_move'], next_step: string): ClusterFailure => ({
  code,
  message: `${code} happened`,
  whose_move,
  retryable: true,
  next_step,
})

const shoot: Shoot = {
  namespace: 'garden-p1',
  name: 's1',
  kubernetes_version: '1.34.3',
  hibernated: false,
  operation: { type: 'Delete', state: 'Failed', progress: 40, description: 'no credentials' },
  conditions: [],
  errors: [{ description: 'no credentials', codes: ['ERR_INFRA_UNAUTHORIZED'] }],
  rotation: { etcdEncryptionKey: 'Prepared' },
}

const cluster: Cluster = {
  id: 'c1',
  organization_id: 'o1',
  organization: 'shop',
  name: 'prod',
  region: 'local',
  kubernetes_version: '1.34',
  hibernated: false,
  maintenance: { begin: '220000+0100', end: '230000+0100', update_kubernetes: true, update_machine_image: false },
  node_pools: [],
  generation: 2,
  synced_generation: 1,
  status: 'error',
  status_message: null,
  status_failure: failure('InfrastructureCredentials', 'operator', 'Correct the credentials.'),
  status_changed_at: SINCE,
  status_as_of: SINCE,
  synced_at: SINCE,
  sync_failure: failure('ShootRefused', 'user', 'Change the field.'),
  sync_attempts: 1,
  next_sync_at: null,
  operation: { kind: 'reconcile', requested_at: SINCE, pending: true },
  shoot,
  created_at: SINCE,
  deleting_since: null,
}

test('a cluster is shown with everything that is wrong with it, and who has to act', () => {
  const text = clusterText(cluster)
  for (const line of [
    /^failure +InfrastructureCredentials: InfrastructureCredentials happened$/m,
    /^failure: action required +operator: Correct the credentials\.$/m,
    /^sync failure +ShootRefused: ShootRefused happened$/m,
    /^sync failure: action required +you: Change the field\.$/m,
    /^maintenance +220000\+0100 to 230000\+0100, updates Kubernetes$/m,
    /^last request +reconcile at \S+, Gardener is yet to be asked$/m,
    /^rotation +etcdEncryptionKey Prepared$/m,
    /^ERR_INFRA_UNAUTHORIZED +no credentials$/m,
  ])
    expect(text).toMatch(line)
})

test('waiting for a deletion ends when Gardener gave up and a person has to act', async () => {
  const client = { get: () => Promise.resolve(cluster) } as unknown as RestClient
  const terminal = { out: () => {}, err: () => {}, isInteractive: false } as unknown as Parameters<typeof untilGone>[3]
  const waiting = untilGone(client, cluster, 60_000, terminal)
  await expect(waiting).rejects.toMatchObject({ failure: { code: 'InfrastructureCredentials' } })
})
