import { Type, type Static } from 'typebox'
import { DEPLOYMENT_STATUSES } from '../apps/apps.ts'
import { FailureView, FieldChangeView } from '../insight.ts'
import { CLUSTER_NAME_PATTERN, POOL_NAME_PATTERN, VERSION_PATTERN, WINDOW_PATTERN } from '../patterns.ts'
import { MaybeText, MaybeTimestamp, orNull, Timestamp } from '../words.ts'

/*
 * Below /api/v1:
 *   GET    /clusters                                             ?organization_id= &status= &name= …   all that the caller sees
 *   GET    /clusters/{cid}                                       ClusterView, of any organization of the caller
 *   GET    /organizations/{id}/clusters                          page of ClusterView
 *   POST   /organizations/{id}/clusters                          ClusterCreate → 201 ClusterView; Idempotency-Key
 *   POST   /organizations/{id}/clusters:preview                  ClusterCreate → ClusterPreviewView
 *   GET    /organizations/{id}/clusters/{cid}                    ClusterView, with ETag
 *   PATCH  /organizations/{id}/clusters/{cid}                    ClusterPatch → ClusterView; If-Match
 *   POST   /organizations/{id}/clusters/{cid}:preview            ClusterPatch → ClusterPreviewView
 *   DELETE /organizations/{id}/clusters/{cid}                    202 ClusterView; If-Match
 *   POST   /organizations/{id}/clusters/{cid}:operate            ClusterOperate → ClusterView: retry, reconcile, rotation of credentials
 *   POST   /organizations/{id}/clusters/{cid}:sync               202: the worker looks at it now
 *   GET    /organizations/{id}/clusters/{cid}/explain            ExplanationView
 *   GET    /organizations/{id}/clusters/{cid}/timeline           TimelineView
 *   GET    /organizations/{id}/clusters/{cid}/events             page of ClusterEventView, newest first
 *   GET    /organizations/{id}/clusters/{cid}/apps               page of ClusterAppView, newest first
 *   GET    /organizations/{id}/clusters/{cid}/versions           ClusterVersionsView: upgrades that Gardener would accept
 *   POST   /organizations/{id}/clusters/{cid}/kubeconfig         KubeconfigCreate → KubeconfigView; audited, never stored
 *   GET    /organizations/{id}/clusters/{cid}/node-pools         page of NodePoolOfClusterView, with the ETag of the cluster
 *   POST   /organizations/{id}/clusters/{cid}/node-pools         NodePoolCreate → 201 NodePoolOfClusterView; If-Match and ETag: of the cluster
 *   PATCH  /organizations/{id}/clusters/{cid}/node-pools/{pid}   NodePoolPatch → NodePoolOfClusterView; If-Match and ETag: of the cluster
 *   DELETE /organizations/{id}/clusters/{cid}/node-pools/{pid}   204; If-Match and ETag: of the cluster
 *   GET    /organizations/{id}/limits, PUT                       OrganizationLimitsView; written by admins
 *   GET    /regions                                              ?organization_id=   LandscapeView: regions, versions, machine types
 * Live: GET /events?topics=clusters, object_id: the id of the cluster; of kind ClusterApp: the name of an app in one.
 */

export const CLUSTER_STATUSES = ['pending', 'progressing', 'ready', 'error', 'deleting', 'deleted'] as const
export type ClusterStatus = (typeof CLUSTER_STATUSES)[number]

const Name = Type.String({ minLength: 1, maxLength: 40, pattern: CLUSTER_NAME_PATTERN })
const Version = Type.String({
  maxLength: 20,
  pattern: VERSION_PATTERN,
  description: 'Such as `1.34`, which Gardener completes to its newest patch, or `1.34.3`.',
})

const poolFields = {
  machine_type: Type.String({ minLength: 1, maxLength: 100, description: 'One of /regions.' }),
  autoscale_min: Type.Integer({ minimum: 0, maximum: 10_000 }),
  autoscale_max: Type.Integer({ minimum: 1, maximum: 10_000 }),
}

export const NodePoolCreate = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: 15, pattern: POOL_NAME_PATTERN }), ...poolFields },
  { additionalProperties: false },
)
export type NodePoolCreate = Static<typeof NodePoolCreate>

export const NodePoolPatch = Type.Partial(Type.Object(poolFields), { additionalProperties: false })
export type NodePoolPatch = Static<typeof NodePoolPatch>

export const NodePoolView = Type.Object({
  id: Type.String(),
  name: Type.String(),
  machine_type: Type.String(),
  autoscale_min: Type.Integer(),
  autoscale_max: Type.Integer(),
})
export type NodePoolView = Static<typeof NodePoolView>

export const NodePoolOfClusterView = Type.Object(
  {
    ...NodePoolView.properties,
    generation: Type.Integer({ description: 'Of the cluster: node pools have none of their own. Also in ETag.' }),
  },
  { description: 'A node pool, and the version of its cluster.' },
)
export type NodePoolOfClusterView = Static<typeof NodePoolOfClusterView>

export const MaintenanceWindow = Type.Object(
  {
    begin: Type.String({ pattern: WINDOW_PATTERN, description: 'Time of day with its zone: `220000+0100`.' }),
    end: Type.String({ pattern: WINDOW_PATTERN }),
    update_kubernetes: Type.Boolean({ description: 'Whether Gardener may install patch versions by itself.' }),
    update_machine_image: Type.Boolean({
      description: 'Whether Gardener may replace the image of the nodes by itself.',
    }),
  },
  { additionalProperties: false, description: 'When Gardener may change the cluster by itself, and what.' },
)
export type MaintenanceWindow = Static<typeof MaintenanceWindow>

export const ClusterCreate = Type.Object(
  {
    name: Name,
    region: Type.String({ minLength: 1, maxLength: 100, description: 'One of /regions. It cannot be changed later.' }),
    kubernetes_version: Version,
    node_pools: Type.Array(NodePoolCreate, { minItems: 1, maxItems: 50 }),
    maintenance: Type.Optional(orNull(MaintenanceWindow, "Null: Gardener's own choice.")),
  },
  { additionalProperties: false },
)
export type ClusterCreate = Static<typeof ClusterCreate>

export const ClusterPatch = Type.Partial(
  Type.Object({
    name: Name,
    kubernetes_version: Version,
    hibernated: Type.Boolean({ description: 'True: no nodes and no control plane until it is woken up.' }),
    maintenance: orNull(MaintenanceWindow),
    region: Type.String({ description: 'Only as it is: Gardener cannot move a cluster.' }),
    node_pools: Type.Array(NodePoolCreate, {
      minItems: 1,
      maxItems: 50,
      description: 'All of them: what is not named is removed.',
    }),
  }),
  { additionalProperties: false },
)
export type ClusterPatch = Static<typeof ClusterPatch>

export const CLUSTER_OPERATIONS = [
  'reconcile',
  'retry',
  'rotate-credentials-start',
  'rotate-credentials-complete',
] as const

export const ClusterOperate = Type.Object(
  { operation: Type.Enum([...CLUSTER_OPERATIONS]) },
  { additionalProperties: false, description: 'What Gardener is asked to do once.' },
)
export type ClusterOperate = Static<typeof ClusterOperate>

export const ShootOperationView = Type.Object({
  type: Type.String({ description: 'Create, Reconcile, Delete, Migrate or Restore.' }),
  state: Type.String({
    description: 'Pending, Processing, Succeeded, Error (Gardener retries), Failed (it gave up) or Aborted.',
  }),
  progress: Type.Integer({ description: 'Percent.' }),
  description: Type.String({ description: 'The task that Gardener is at.' }),
  updated_at: MaybeTimestamp,
})

export const ShootView = Type.Object(
  {
    namespace: Type.String(),
    name: Type.String(),
    kubernetes_version: Type.String({ description: 'As Gardener completed it.' }),
    hibernated: Type.Boolean(),
    operation: orNull(ShootOperationView),
    conditions: Type.Array(
      Type.Object({
        type: Type.String(),
        status: Type.String(),
        reason: Type.String(),
        message: Type.String(),
        since: MaybeTimestamp,
      }),
    ),
    errors: Type.Array(Type.Object({ description: Type.String(), codes: Type.Array(Type.String()) })),
    rotation: Type.Record(Type.String(), Type.String(), { description: 'Phase by what is rotated.' }),
  },
  { description: 'The Shoot as Gardener reports it.' },
)
export type ShootView = Static<typeof ShootView>

export const ClusterView = Type.Object(
  {
    id: Type.String(),
    organization_id: Type.String(),
    organization: Type.String({ description: 'The name of the organization.' }),
    name: Type.String(),
    region: Type.String(),
    kubernetes_version: Type.String(),
    hibernated: Type.Boolean(),
    maintenance: orNull(MaintenanceWindow),
    node_pools: Type.Array(NodePoolView),
    generation: Type.Integer({
      description: 'Incremented by every change of the cluster or its node pools; also in ETag.',
    }),
    synced_generation: Type.Integer({ description: 'The generation that Gardener has.' }),
    status: Type.Enum([...CLUSTER_STATUSES]),
    status_message: MaybeText,
    status_failure: orNull(FailureView, "Gardener's error, whose move it is, and the next step."),
    status_changed_at: Timestamp,
    status_as_of: orNull(Timestamp, 'Until when the status is known to hold: the watch on Gardener was current then.'),
    synced_at: MaybeTimestamp,
    sync_failure: orNull(FailureView, 'Why the last sync failed.'),
    sync_attempts: Type.Integer({ description: 'Failed syncs in a row.' }),
    next_sync_at: orNull(Timestamp, 'When the next sync is due.'),
    operation: orNull(
      Type.Object({
        kind: Type.Enum([...CLUSTER_OPERATIONS]),
        requested_at: Timestamp,
        pending: Type.Boolean({
          description: 'Whether Gardener is yet to be asked for it. False also once it was dropped.',
        }),
      }),
      'What a person last asked Gardener to do.',
    ),
    shoot: orNull(ShootView),
    created_at: Timestamp,
    deleting_since: MaybeTimestamp,
  },
  { description: 'A cluster of an organization, and the Shoot that it is converged into.' },
)
export type ClusterView = Static<typeof ClusterView>

export const ClusterEventView = Type.Object({
  id: Type.String(),
  type: Type.Enum([
    'sync_requested',
    'sync_claimed',
    'sync_succeeded',
    'sync_failed',
    'status_progressing',
    'status_ready',
    'status_error',
    'status_deleting',
    'status_deleted',
  ]),
  actor: Type.String({ description: 'An email, `platform`, or the name of a worker.' }),
  message: MaybeText,
  attempt: orNull(Type.Integer()),
  created_at: Timestamp,
})
export type ClusterEventView = Static<typeof ClusterEventView>

export const ClusterAppView = Type.Object(
  {
    name: Type.String({ description: '`deployment_uid` of the deployment.' }),
    owner: orNull(Type.String(), 'The email of its user. Null: somebody who left the organization.'),
    status: Type.Enum([...DEPLOYMENT_STATUSES]),
    status_since: Timestamp,
    deployment: orNull(
      Type.Object({ id: Type.String(), user_id: Type.String() }),
      'The deployment. Null: it belongs to somebody else, and the caller may not see more of it.',
    ),
  },
  { description: 'An app in a cluster. Members of the organization see all of them: they keep it from being deleted.' },
)
export type ClusterAppView = Static<typeof ClusterAppView>

export const NodePoolEffectView = Type.Object(
  {
    name: Type.String(),
    change: Type.Enum(['added', 'removed', 'changed', 'unchanged']),
    rolls: Type.Boolean({ description: 'Whether every machine is replaced.' }),
    machines_min: Type.Integer(),
    machines_max: Type.Integer(),
    machines_during_roll: Type.Integer({ description: 'The most machines at once, with the surge of a roll.' }),
  },
  { description: 'What becomes of one node pool.' },
)
export type NodePoolEffectView = Static<typeof NodePoolEffectView>

const LimitUse = Type.Object({
  used: Type.Integer({ description: 'Now.' }),
  after: Type.Integer({ description: 'With the change.' }),
  limit: orNull(Type.Integer(), 'Null: no limit.'),
})

export const ClusterPreviewView = Type.Object(
  {
    accepted: Type.Boolean({
      description: 'Whether saving would be accepted, by Caelus and by Gardener, as far as `not_consulted` says.',
    }),
    problems: Type.Array(
      Type.Object({
        field: orNull(Type.String(), 'As in the request: `node_pools[0].machine_type`.'),
        message: Type.String(),
        supported: orNull(Type.Array(Type.String()), 'The values that would be accepted.'),
        failure: FailureView,
      }),
    ),
    fields: Type.Array(FieldChangeView, { description: 'Changes of the Shoot, as its API server would store it.' }),
    node_pools: Type.Array(NodePoolEffectView),
    limits: Type.Object({ clusters: LimitUse, nodes: LimitUse }),
    not_consulted: Type.Array(Type.String(), {
      description: 'What could not be checked, and why. Empty: everything was.',
    }),
  },
  { description: 'What saving would do; nothing is saved.' },
)
export type ClusterPreviewView = Static<typeof ClusterPreviewView>

export const ClusterVersionsView = Type.Object(
  {
    current: Type.String({ description: 'As Gardener has it, or as ordered before there is a Shoot.' }),
    upgrades: Type.Array(
      Type.Object({
        version: Type.String(),
        kind: Type.Enum(['patch', 'minor']),
        classification: Type.String(),
        expires_at: MaybeTimestamp,
        changes: Type.Array(Type.String(), { description: 'What it would change, one sentence each.' }),
      }),
    ),
  },
  { description: 'The versions that Gardener would accept.' },
)
export type ClusterVersionsView = Static<typeof ClusterVersionsView>

export const KubeconfigCreate = Type.Object(
  { expires_in_seconds: Type.Optional(Type.Integer({ minimum: 600, maximum: 86_400, description: 'Default: 3600.' })) },
  { additionalProperties: false },
)
export type KubeconfigCreate = Static<typeof KubeconfigCreate>

export const KubeconfigView = Type.Object(
  { kubeconfig: Type.String(), expires_at: Timestamp },
  { description: 'Of an administrator of the cluster. The only response that carries it; it is stored nowhere.' },
)
export type KubeconfigView = Static<typeof KubeconfigView>

const limit = (description: string) => orNull(Type.Integer({ minimum: 0, maximum: 1_000_000 }), description)
const choice = (description: string) =>
  orNull(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 1, maxItems: 200 }), description)
const limits = {
  max_clusters: limit('Null: no limit.'),
  max_nodes: limit('The most nodes of all clusters, by the maximum of their pools. Null: no limit.'),
  regions: choice('Null: all that Gardener offers.'),
  machine_types: choice('Null: all that Gardener offers.'),
}

export const OrganizationLimitsPut = Type.Partial(Type.Object(limits), {
  additionalProperties: false,
  description: 'What is absent becomes null.',
})
export type OrganizationLimitsPut = Static<typeof OrganizationLimitsPut>

export const OrganizationLimitsView = Type.Object({
  ...limits,
  clusters: Type.Integer({ description: 'Clusters that are there.' }),
  nodes: Type.Integer({ description: 'Nodes that their pools may have.' }),
  generation: Type.Integer({ description: 'Incremented by every change; 0: never set. Also in ETag.' }),
})
export type OrganizationLimitsView = Static<typeof OrganizationLimitsView>

export const LandscapeView = Type.Object(
  {
    mode: Type.Enum(['mock', 'real'], { description: 'mock: no clusters are made; Gardener is simulated.' }),
    regions: Type.Array(Type.Object({ name: Type.String(), allowed: Type.Boolean() })),
    versions: Type.Array(
      Type.Object({ version: Type.String(), classification: Type.String(), expires_at: MaybeTimestamp }),
    ),
    machine_types: Type.Array(
      Type.Object({
        name: Type.String(),
        cpu: Type.String(),
        gpu: Type.String(),
        memory: Type.String(),
        allowed: Type.Boolean(),
      }),
    ),
  },
  { description: 'What can be ordered. `allowed`: by the limits of the organization.' },
)
export type LandscapeView = Static<typeof LandscapeView>
