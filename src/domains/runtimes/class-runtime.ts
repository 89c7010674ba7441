import { Type } from 'typebox'
import { Conditions, defineCrd, mapList, type ObjectOf } from '../../kube/index.ts'

const Text = Type.String()
const TextMap = Type.Record(Type.String(), Type.String())
const Time = Type.String({ format: 'date-time' })
const Count = (minimum: number) => Type.Integer({ minimum, maximum: 2_147_483_647 })
const optional = Type.Optional

export const ProvisionConfig = Type.Object({
  container_image: optional(Text),
  /** The function runs inside ODGM; it has no workload of its own. */
  wasm_module_url: optional(Text),
  port: optional(Type.Integer({ minimum: 1, maximum: 65_535 })),
  max_concurrency: optional(Count(0)),
  need_http2: optional(Type.Boolean()),
  cpu_request: optional(Text),
  memory_request: optional(Text),
  cpu_limit: optional(Text),
  memory_limit: optional(Text),
  min_scale: optional(Count(0)),
  max_scale: optional(Count(0)),
})

export const FunctionSpec = Type.Object({
  function_key: Type.String({ minLength: 1, maxLength: 512 }),
  description: optional(Text),
  available_location: optional(Text),
  qos_requirement: optional(
    Type.Object({
      throughput: optional(Type.Number({ minimum: 0 })),
      availability: optional(Type.Number({ minimum: 0 })),
    }),
  ),
  provision_config: optional(ProvisionConfig),
  /** Becomes the environment of the function. */
  config: optional(TextMap),
})

const Route = Type.Object({
  url: optional(Text),
  wasm_module_url: optional(Text),
  stateless: optional(Type.Boolean()),
  standby: optional(Type.Boolean()),
  active_group: optional(Type.Array(Type.Integer({ format: 'int64' }))),
  function_key: optional(Text),
})

export const OdgmConfig = Type.Object({
  collections: optional(Type.Array(Text)),
  partition_count: optional(Type.Integer({ minimum: 1, default: 1 })),
  replica_count: optional(Type.Integer({ minimum: 1, default: 1 })),
  shard_type: optional(Text),
  invocations: optional(
    Type.Object({ fn_routes: optional(Type.Record(Type.String(), Route)), disabled_fn: optional(Type.Array(Text)) }),
  ),
  options: optional(TextMap),
  log: optional(Text),
  env_node_ids: optional(Type.Record(Type.String(), Type.Array(Type.Integer({ format: 'int64' })))),
  node_id: optional(Type.Integer({ format: 'int64' })),
  collection_assignments: optional(Type.Record(Type.String(), Type.Array(Type.Integer({ format: 'int64' })))),
})

export const Telemetry = Type.Object({
  enabled: optional(Type.Boolean()),
  traces: optional(Type.Boolean()),
  metrics: optional(Type.Boolean()),
  logs: optional(Type.Boolean()),
  sampling_rate: optional(Type.Number({ minimum: 0, maximum: 1 })),
  service_name: optional(Text),
  resource_attributes: optional(TextMap),
})

export const MODES = ['off', 'observe', 'enforce'] as const
export const DIMENSIONS = ['replicas', 'memory', 'cpu'] as const

const Spec = Type.Object({
  package_class_key: optional(Text),
  /** A template or one of its aliases. Absent: chosen by score. */
  selected_template: optional(Text),
  addons: optional(Type.Array(Text, { default: ['odgm'] })),
  odgm_config: optional(OdgmConfig),
  functions: optional(mapList(FunctionSpec, 'function_key')),
  nfr_requirements: optional(
    Type.Object({
      min_throughput_rps: optional(Type.Number({ minimum: 0 })),
      max_latency_ms: optional(Type.Number({ minimum: 0 })),
      availability_pct: optional(Type.Number({ minimum: 0, maximum: 100 })),
      consistency: optional(Text),
    }),
  ),
  enforcement: optional(
    Type.Object({
      mode: optional(Type.Enum([...MODES], { default: 'observe' })),
      dimensions: optional(Type.Array(Type.Enum([...DIMENSIONS]))),
    }),
  ),
  telemetry: optional(Telemetry),
})

const Recommendation = Type.Object({
  value: Type.Number(),
  at: Time,
  /** From 0, a guess, to 1. */
  confidence: Type.Number({ minimum: 0, maximum: 1 }),
  /** What it was concluded from, for people: `120 rps of 100 wanted, 480m CPU of 500m`. */
  basis: Text,
})

const Applied = Type.Object({
  component: Text,
  function_key: optional(Text),
  dimension: Text,
  target: Type.Number(),
  basis: Text,
  confidence: Type.Number(),
  at: optional(Time),
})

/** What has to survive a restart for stability, cooldown and retries to mean anything. One per function and dimension. */
const NfrState = Type.Object({
  target: Type.Number(),
  since: Time,
  cooldown_until: optional(Time),
  /** Last value that was put into effect: from then on the field is the enforcer's. */
  applied: optional(Type.Number()),
  failure: optional(Type.Object({ reason: Text, message: Text, count: Type.Integer(), retry_at: Time })),
})

const FunctionStatus = Type.Object({
  function_key: Text,
  service: optional(Text),
  port: optional(Type.Integer()),
  predicted_url: optional(Text),
  observed_url: optional(Text),
  template: optional(Text),
  ready: optional(Type.Boolean()),
  reason: optional(Text),
  message: optional(Text),
  lastTransitionTime: optional(Time),
})

const Status = Type.Object({
  phase: optional(Text),
  message: optional(Text),
  observed_generation: optional(Type.Integer({ format: 'int64' })),
  last_updated: optional(Time),
  conditions: optional(Conditions),
  resource_refs: optional(Type.Array(Type.Object({ kind: Text, name: Text }))),
  /** `replicas/<function key>`, `memory/…`, `cpu/…`; a bare dimension stands for every function. */
  nfr_recommendations: optional(Type.Record(Type.String(), Recommendation)),
  nfr_state: optional(Type.Record(Type.String(), NfrState)),
  last_applied_recommendations: optional(Type.Array(Applied)),
  last_applied_at: optional(Time),
  routers: optional(Type.Array(Type.Object({ service: Text, port: Type.Integer() }))),
  functions: optional(mapList(FunctionStatus, 'function_key')),
  /** `2/3`, for the printer column. */
  functions_ready: optional(Text),
  template: optional(Text),
})

export const ClassRuntime = defineCrd({
  group: 'oaas.io',
  version: 'v1alpha1',
  kind: 'ClassRuntime',
  plural: 'classruntimes',
  shortNames: ['crt'],
  categories: ['oaas'],
  scope: 'Namespaced',
  description: 'A class of objects whose functions run as workloads of this control plane.',
  spec: Spec,
  status: Status,
  printerColumns: [
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'Functions', type: 'string', jsonPath: '.status.functions_ready' },
    { name: 'Template', type: 'string', jsonPath: '.status.template' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    { name: 'Message', type: 'string', jsonPath: '.status.message', priority: 1 },
  ],
})
export type ClassRuntime = ObjectOf<typeof ClassRuntime>
export type ClassRuntimeSpec = ClassRuntime['spec']
export type ClassRuntimeStatus = NonNullable<ClassRuntime['status']>
export type FunctionSpec = NonNullable<ClassRuntimeSpec['functions']>[number]
export type FunctionStatus = NonNullable<ClassRuntimeStatus['functions']>[number]
export type Recommendation = NonNullable<ClassRuntimeStatus['nfr_recommendations']>[string]
export type NfrState = NonNullable<ClassRuntimeStatus['nfr_state']>[string]
export type AppliedRecommendation = NonNullable<ClassRuntimeStatus['last_applied_recommendations']>[number]
export type Mode = (typeof MODES)[number]
export type Dimension = (typeof DIMENSIONS)[number]
