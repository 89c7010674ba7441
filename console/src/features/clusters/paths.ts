import type { ClusterView } from '../../lib/api/contract.ts'

/** The topic of the stream; each query that begins with it is live. */
export const TOPIC = 'clusters'

export type ClusterRef = Pick<ClusterView, 'organization_id' | 'id'>

const part = encodeURIComponent

/** Paths of the API. */
export const api = {
  all: '/clusters',
  regions: '/regions',
  organization: (id: string): string => `/organizations/${part(id)}`,
  clusters: (organizationId: string): string => `${api.organization(organizationId)}/clusters`,
  cluster: (ref: ClusterRef): string => `${api.clusters(ref.organization_id)}/${part(ref.id)}`,
  pools: (ref: ClusterRef): string => `${api.cluster(ref)}/node-pools`,
  pool: (ref: ClusterRef, poolId: string): string => `${api.pools(ref)}/${part(poolId)}`,
  apps: (ref: ClusterRef): string => `${api.cluster(ref)}/apps`,
  limits: (organizationId: string): string => `${api.organization(organizationId)}/limits`,
}

/** Paths of the console. No organization has the id `new`. */
export const pages = {
  list: '/clusters',
  listOf: (organizationId: string): string => `/clusters?organization=${part(organizationId)}`,
  create: '/clusters/new',
  cluster: (ref: ClusterRef): string => `/clusters/${part(ref.organization_id)}/${part(ref.id)}`,
  pools: (ref: ClusterRef): string => `${pages.cluster(ref)}/node-pools`,
  apps: (ref: ClusterRef): string => `${pages.cluster(ref)}/apps`,
  maintenance: (ref: ClusterRef): string => `${pages.cluster(ref)}/maintenance`,
  history: (ref: ClusterRef): string => `${pages.cluster(ref)}/history`,
}
