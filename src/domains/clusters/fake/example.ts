import type { GardenerSettings } from '../shoot/wanted.ts'
import type { Cluster } from '../types.ts'

/** A cluster and settings for tests; each test changes what it is about. */
export const exampleCluster: Cluster = {
  id: '0190aaaa-0000-7000-8000-0000000000c1',
  organizationId: '0190aaaa-0000-7000-8000-000000000001',
  name: 'one',
  region: 'local',
  kubernetesVersion: '1.34.3',
  isHibernated: false,
  maintenance: null,
  operation: null,
  nodePools: [],
  createdAt: 0,
  deletedAt: null,
}

export const exampleSettings: GardenerSettings = {
  providerType: 'local',
  cloudProfile: 'local',
  maxShootNameLen: 21,
  networkingType: 'calico',
}
