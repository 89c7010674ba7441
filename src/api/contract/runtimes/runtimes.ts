import { Type, type Static } from 'typebox'
import { PreviewView } from '../insight.ts'
import { NAME_PATTERN, NAMESPACE_PATTERN } from '../patterns.ts'
import type { RuntimeSpec } from './spec.ts'
import { JsonObject, MaybeText, MaybeTimestamp, orNull, Timestamp } from '../words.ts'

/*
 * Below /api/v1:
 *   GET    /runtimes                               ?namespace= &phase= &limit= &cursor=   page of RuntimeSummary
 *   POST   /runtimes                               RuntimeManifest → 201 RuntimeView
 *   POST   /runtimes:preview                       RuntimeManifest → RuntimePreviewView
 *   POST   /runtimes:apply-package                 PackageApply → PackageAppliedView
 *   GET    /runtimes/{namespace}/{name}            RuntimeView, with ETag
 *   PUT    /runtimes/{namespace}/{name}            RuntimeManifest → RuntimeView; made if it is not there; If-Match
 *   DELETE /runtimes/{namespace}/{name}            202 RuntimeView
 *   GET    /runtimes/{namespace}/{name}/explain    ExplanationView
 *   GET    /runtimes/{namespace}/{name}/timeline   TimelineView
 *   GET    /runtimes/{namespace}/{name}/nfr        NfrHistoryView
 * Live: GET /events?topics=runtimes, object_id `namespace/name`.
 */

const SpecBody = Type.Unsafe<RuntimeSpec>({
  ...JsonObject,
  description: 'As the custom resource has it; checked field by field.',
})

export const RUNTIME_PHASES = ['pending', 'applying', 'progressing', 'available', 'degraded', 'deleting'] as const
export type RuntimePhase = (typeof RUNTIME_PHASES)[number]
export const RUNTIME_MODES = ['off', 'observe', 'enforce'] as const
export type RuntimeMode = (typeof RUNTIME_MODES)[number]
export const NFR_DIMENSIONS = ['replicas', 'memory', 'cpu'] as const
export type NfrDimension = (typeof NFR_DIMENSIONS)[number]

export const RuntimeSummary = Type.Object(
  {
    id: Type.String({ description: '`namespace/name`; also the object_id on the stream of events.' }),
    namespace: Type.String(),
    name: Type.String(),
    uid: Type.String(),
    generation: Type.Integer({ description: 'Bumped by every change of the spec; the version for If-Match.' }),
    observed_generation: orNull(Type.Integer(), 'The generation that the controller has acted upon.'),
    phase: Type.Enum([...RUNTIME_PHASES]),
    phase_since: MaybeTimestamp,
    reason: orNull(Type.String(), 'PascalCase: why it is degraded or still progressing.'),
    message: Type.String(),
    package_class_key: MaybeText,
    template: orNull(Type.String(), 'The template in use; null until one is chosen.'),
    functions_ready: Type.Integer(),
    functions_total: Type.Integer(),
    mode: Type.Enum([...RUNTIME_MODES], { description: 'What happens to recommendations.' }),
    created_at: Timestamp,
    updated_at: orNull(Timestamp, 'When its status last changed.'),
    deleting_since: MaybeTimestamp,
  },
  { description: 'A class of objects whose functions run as workloads of the control plane.' },
)
export type RuntimeSummary = Static<typeof RuntimeSummary>

export const RuntimeConditionView = Type.Object({
  type: Type.String(),
  status: Type.Enum(['True', 'False', 'Unknown']),
  reason: Type.String(),
  message: Type.String(),
  since: MaybeTimestamp,
})
export type RuntimeConditionView = Static<typeof RuntimeConditionView>

export const RuntimeFunctionView = Type.Object({
  function_key: Type.String(),
  description: MaybeText,
  image: orNull(Type.String(), 'Null for a function that runs inside ODGM.'),
  wasm_module_url: MaybeText,
  ready: Type.Boolean(),
  reason: MaybeText,
  message: MaybeText,
  since: orNull(Timestamp, 'Since when it is ready, or not.'),
  template: MaybeText,
  service: MaybeText,
  port: orNull(Type.Integer()),
  url: orNull(Type.String(), 'Where it is reached: as observed, else as predicted.'),
  min_scale: orNull(Type.Integer()),
  max_scale: orNull(Type.Integer()),
})
export type RuntimeFunctionView = Static<typeof RuntimeFunctionView>

export const RuntimeContainerView = Type.Object({
  name: Type.String(),
  ready: Type.Boolean(),
  restarts: Type.Integer(),
  state: Type.String({ description: '`running`, `terminated`, or why it waits, such as CrashLoopBackOff.' }),
  message: MaybeText,
  started_at: MaybeTimestamp,
  last_exit: orNull(
    Type.Object({ reason: Type.String(), exit_code: Type.Integer(), message: Type.String(), at: MaybeTimestamp }),
    'How it ended last time.',
  ),
})
export type RuntimeContainerView = Static<typeof RuntimeContainerView>

export const RuntimePodView = Type.Object({
  name: Type.String(),
  phase: Type.String(),
  node: MaybeText,
  ready: Type.Boolean(),
  restarts: Type.Integer({ description: 'Of all its containers.' }),
  reason: orNull(Type.String(), 'Why it is not ready.'),
  message: MaybeText,
  created_at: Timestamp,
  deleting_since: MaybeTimestamp,
  containers: Type.Array(RuntimeContainerView),
})
export type RuntimePodView = Static<typeof RuntimePodView>

export const CHILD_HEALTHS = ['ready', 'progressing', 'failing', 'missing', 'deleting'] as const

export const RuntimeChildView = Type.Object(
  {
    id: Type.String({ description: 'Kind and name: `Deployment/shop-checkout`.' }),
    kind: Type.String(),
    name: Type.String(),
    component: Type.Enum(['function', 'odgm', 'monitor']),
    function_key: orNull(Type.String(), 'The function it belongs to.'),
    health: Type.Enum([...CHILD_HEALTHS]),
    reason: MaybeText,
    message: Type.String(),
    replicas: orNull(
      Type.Object({ desired: Type.Integer(), ready: Type.Integer(), updated: Type.Integer() }),
      'Of a workload.',
    ),
    created_at: MaybeTimestamp,
    pods: Type.Array(RuntimePodView),
  },
  { description: 'One object that the runtime is made of, as it is in the control plane.' },
)
export type RuntimeChildView = Static<typeof RuntimeChildView>

export const NfrValueView = Type.Object(
  {
    function_key: Type.String(),
    dimension: Type.Enum([...NFR_DIMENSIONS]),
    unit: Type.Enum(['replicas', 'bytes', 'millicores']),
    enforced: Type.Boolean({ description: 'Whether recommendations of this dimension are put into effect.' }),
    live: orNull(Type.Number(), 'What the workload has now.'),
    recommended: orNull(
      Type.Object({
        value: Type.Number(),
        at: Timestamp,
        stale: Type.Boolean({ description: 'Too old to be acted upon.' }),
        confidence: Type.Number({ description: 'From 0, a guess, to 1.' }),
        basis: Type.String({ description: 'What it was concluded from.' }),
      }),
    ),
    applied: orNull(Type.Number(), 'The value that was last put into effect.'),
    target: orNull(Type.Number(), 'Within limits, and waiting to be stable.'),
    target_since: MaybeTimestamp,
    cooldown_until: MaybeTimestamp,
    failure: orNull(
      Type.Object({ reason: Type.String(), message: Type.String(), count: Type.Integer(), retry_at: Timestamp }),
    ),
  },
  { description: 'Recommended, applied and live value of one function in one dimension.' },
)
export type NfrValueView = Static<typeof NfrValueView>

export const EnforcementView = Type.Object(
  {
    at: MaybeTimestamp,
    component: Type.String(),
    function_key: MaybeText,
    dimension: Type.String(),
    target: Type.Number(),
    confidence: Type.Number(),
    basis: Type.String(),
  },
  { description: 'One value that was put into effect.' },
)
export type EnforcementView = Static<typeof EnforcementView>

export const RuntimeView = Type.Object(
  {
    ...RuntimeSummary.properties,
    labels: Type.Record(Type.String(), Type.String()),
    annotations: Type.Record(Type.String(), Type.String()),
    spec: SpecBody,
    conditions: Type.Array(RuntimeConditionView),
    functions: Type.Array(RuntimeFunctionView),
    children: Type.Array(RuntimeChildView),
    routers: Type.Array(Type.Object({ service: Type.String(), port: Type.Integer() })),
    enforcement: Type.Object({
      mode: Type.Enum([...RUNTIME_MODES]),
      dimensions: Type.Array(Type.Enum([...NFR_DIMENSIONS])),
      last_applied_at: MaybeTimestamp,
      history: Type.Array(EnforcementView, { description: 'Newest first.' }),
    }),
    nfr: Type.Array(NfrValueView),
  },
  { description: 'A runtime with everything it is made of.' },
)
export type RuntimeView = Static<typeof RuntimeView>

const Name = Type.String({ minLength: 1, maxLength: 253, pattern: NAME_PATTERN })
const Namespace = Type.String({ minLength: 1, maxLength: 63, pattern: NAMESPACE_PATTERN })

export const RuntimePath = Type.Object({ namespace: Namespace, name: Name })
export type RuntimePath = Static<typeof RuntimePath>

export const RuntimeManifest = Type.Object(
  {
    apiVersion: Type.Optional(Type.Literal('oaas.io/v1alpha1')),
    kind: Type.Optional(Type.Literal('ClassRuntime')),
    metadata: Type.Object(
      {
        name: Name,
        namespace: Type.Optional(Namespace),
        labels: Type.Optional(Type.Record(Type.String(), Type.String())),
        annotations: Type.Optional(Type.Record(Type.String(), Type.String())),
      },
      { additionalProperties: false },
    ),
    spec: SpecBody,
  },
  { additionalProperties: false, description: 'A ClassRuntime as one writes it for kubectl. Namespace: `default`.' },
)
export type RuntimeManifest = Static<typeof RuntimeManifest>

export const RuntimePreviewView = Type.Object(
  {
    ...PreviewView.properties,
    change: Type.Enum(['created', 'changed', 'unchanged']),
    template: Type.Object({ before: MaybeText, after: MaybeText }),
    problems: Type.Array(Type.Object({ field: Type.String(), message: Type.String() }), {
      description: 'Why the controller could not run it as it is written.',
    }),
  },
  { description: 'What applying this would do; nothing is saved.' },
)
export type RuntimePreviewView = Static<typeof RuntimePreviewView>

export const PackageApply = Type.Object(
  {
    package: Type.Union([Type.String({ maxLength: 1_000_000 }), JsonObject], {
      description: 'An OPackage, as an object or as its YAML.',
    }),
    environment: Type.Optional(
      Type.String({ minLength: 1, maxLength: 253, description: 'Deployments for this environment only.' }),
    ),
    namespace: Type.Optional(Namespace),
    dry_run: Type.Optional(Type.Boolean({ description: 'True: say what would be done and do nothing.' })),
  },
  { additionalProperties: false },
)
export type PackageApply = Static<typeof PackageApply>

export const PackageAppliedView = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        id: Type.String(),
        namespace: Type.String(),
        name: Type.String(),
        deployment_key: Type.String(),
        change: Type.Enum(['created', 'changed', 'unchanged']),
      }),
    ),
    skipped: Type.Array(Type.Object({ deployment_key: Type.String(), because: Type.String() }), {
      description: 'Deployments that are not for this environment, or not wanted any more.',
    }),
  },
  { description: 'The runtimes that a package became.' },
)
export type PackageAppliedView = Static<typeof PackageAppliedView>

export const NfrPointView = Type.Object({
  at: Timestamp,
  recommended: orNull(Type.Number()),
  applied: orNull(Type.Number()),
  live: orNull(Type.Number()),
})
export type NfrPointView = Static<typeof NfrPointView>

export const NfrSeriesView = Type.Object({
  function_key: Type.String(),
  dimension: Type.Enum([...NFR_DIMENSIONS]),
  unit: Type.Enum(['replicas', 'bytes', 'millicores']),
  points: Type.Array(NfrPointView, { description: 'Oldest first; a point for every change.' }),
})
export type NfrSeriesView = Static<typeof NfrSeriesView>

export const NfrHistoryView = Type.Object(
  {
    since: orNull(Timestamp, 'Since when this server has been looking; null: it has seen nothing yet.'),
    series: Type.Array(NfrSeriesView),
  },
  { description: 'Recommended, applied and live values over time.' },
)
export type NfrHistoryView = Static<typeof NfrHistoryView>
