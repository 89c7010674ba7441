import type {
  ClusterPreviewView,
  ClusterView,
  FailureView,
  LandscapeView,
  OrganizationView,
  ShootView,
} from '../../../lib/api/contract.ts'

const SINCE = '2026-11-15T10:00:00.000Z'

export const acme: OrganizationView = {
  id: 'o1',
  name: 'Acme',
  members: 2,
  role: 'owner',
  generation: 1,
  created_at: SINCE,
}

export const failure = (code: string, rest: Partial<FailureView> = {}): FailureView => ({
  code,
  message: `${code} happened`,
  whose_move: 'user',
  retryable: true,
  next_step: 'Change it.',
  ...rest,
})

export const shoot = (rest: Partial<ShootView> = {}): ShootView => ({
  namespace: 'garden-p1',
  name: 's1',
  kubernetes_version: '1.34.3',
  hibernated: false,
  operation: { type: 'Create', state: 'Succeeded', progress: 100, description: 'done', updated_at: SINCE },
  conditions: [],
  errors: [],
  rotation: {},
  ...rest,
})

/** A ready cluster; a test changes what it is about. */
export const cluster = (rest: Partial<ClusterView> = {}): ClusterView => ({
  id: 'c1',
  organization_id: 'o1',
  organization: 'Acme',
  name: 'shop',
  region: 'eu-1',
  kubernetes_version: '1.34',
  hibernated: false,
  maintenance: null,
  node_pools: [{ id: 'p1', name: 'workers', machine_type: 'small', autoscale_min: 1, autoscale_max: 3 }],
  generation: 4,
  synced_generation: 4,
  status: 'ready',
  status_message: null,
  status_failure: null,
  status_changed_at: SINCE,
  status_as_of: new Date().toISOString(),
  synced_at: SINCE,
  sync_failure: null,
  sync_attempts: 0,
  next_sync_at: null,
  operation: null,
  shoot: shoot(),
  created_at: SINCE,
  deleting_since: null,
  ...rest,
})

export const landscape: LandscapeView = {
  mode: 'mock',
  regions: [
    { name: 'eu-1', allowed: true },
    { name: 'us-1', allowed: false },
  ],
  versions: [
    { version: '1.33.7', classification: 'deprecated', expires_at: '2027-01-31T00:00:00.000Z' },
    { version: '1.34.3', classification: 'supported', expires_at: null },
    { version: '1.35.0', classification: 'preview', expires_at: null },
  ],
  machine_types: [
    { name: 'small', cpu: '2', gpu: '0', memory: '4Gi', allowed: true },
    { name: 'huge', cpu: '64', gpu: '8', memory: '256Gi', allowed: false },
  ],
}

export const preview = (rest: Partial<ClusterPreviewView> = {}): ClusterPreviewView => ({
  accepted: true,
  problems: [],
  fields: [],
  node_pools: [],
  limits: { clusters: { used: 1, after: 2, limit: 3 }, nodes: { used: 3, after: 6, limit: null } },
  not_consulted: [],
  ...rest,
})

/** What every page reads. */
export const answers = (role = 'member') => ({
  'GET /me': { id: 'u1', email: 'ada@example.test', role, auth: 'dev' },
  'GET /organizations': { items: [acme], next_cursor: null },
  'GET /organizations/o1': acme,
  'GET /regions': landscape,
})

/** An answer of /regions while Gardener is away. */
export const gardenerAway = () =>
  Response.json(
    {
      title: 'Gardener does not answer',
      status: 503,
      detail: 'connection refused',
      code: 'GardenerUnreachable',
      whose_move: 'platform',
      retryable: true,
      next_step: 'Caelus retries automatically.',
    },
    { status: 503 },
  )

/** What a request carried. */
export const bodyOf = ({ body }: RequestInit): unknown => JSON.parse(typeof body === 'string' ? body : 'null')
