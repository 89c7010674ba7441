import { Type, type Static } from 'typebox'
import { FunctionSpec, OdgmConfig, ProvisionConfig, Telemetry } from '../class-runtime.ts'

const Text = Type.String()
const Key = Type.String({ minLength: 1, maxLength: 253 })
const optional = Type.Optional
const list = <T extends Parameters<typeof Type.Array>[0]>(of: T) => optional(Type.Array(of))

const CONSISTENCY_MODELS = ['NONE', 'READ_YOUR_WRITE', 'BOUNDED_STALENESS', 'STRONG'] as const
const FUNCTION_TYPES = ['BUILTIN', 'CUSTOM', 'MACRO', 'LOGICAL', 'WASM'] as const
const CONDITIONS = ['PENDING', 'DEPLOYING', 'RUNNING', 'DOWN', 'DELETED'] as const

const StateSpec = Type.Object({
  key_specs: list(Type.Object({ name: Text, key_type: optional(Text) })),
  default_provider: optional(Text),
  consistency_model: optional(Type.Enum([...CONSISTENCY_MODELS])),
  persistent: optional(Type.Boolean()),
  serialization_format: optional(Text),
})

const Binding = Type.Object({
  /** What callers call it. */
  name: Key,
  function_key: Key,
  access_modifier: optional(Type.Enum(['PUBLIC', 'INTERNAL', 'PRIVATE'])),
  stateless: optional(Type.Boolean()),
  parameters: list(Text),
})

const Class = Type.Object({
  key: Key,
  description: optional(Text),
  state_spec: optional(StateSpec),
  function_bindings: list(Binding),
})

const PackageFunction = Type.Object({
  key: Key,
  function_type: optional(Type.Enum([...FUNCTION_TYPES])),
  description: optional(Text),
  provision_config: optional(ProvisionConfig),
  config: optional(Type.Record(Type.String(), Type.String())),
})

const Deployment = Type.Object({
  key: Key,
  package_name: optional(Text),
  class_key: Key,
  target_envs: list(Text),
  available_envs: list(Text),
  nfr_requirements: optional(
    Type.Object({
      min_throughput_rps: optional(Type.Number({ minimum: 0 })),
      max_latency_ms: optional(Type.Number({ minimum: 0 })),
      /** A part of 1, unlike in a ClassRuntime. */
      availability: optional(Type.Number({ minimum: 0, maximum: 1 })),
      cpu_utilization_target: optional(Type.Number({ minimum: 0, maximum: 1 })),
    }),
  ),
  /** Environment to template. */
  env_templates: optional(Type.Record(Type.String(), Type.String())),
  /** Laid over the functions of the package, for this deployment alone. */
  functions: list(FunctionSpec),
  condition: optional(Type.Enum([...CONDITIONS])),
  odgm: optional(OdgmConfig),
  telemetry: optional(Telemetry),
  status: optional(Type.Unknown()),
})

/** What developers write: classes, the functions they are bound to, and where each class is to run. */
export const OPackage = Type.Object({
  name: Key,
  version: optional(Text),
  metadata: optional(
    Type.Object({ author: optional(Text), description: optional(Text), tags: optional(Type.Array(Text)) }),
  ),
  classes: list(Class),
  functions: list(PackageFunction),
  dependencies: list(Text),
  deployments: list(Deployment),
})
export type OPackage = Static<typeof OPackage>
export type PackageClass = Static<typeof Class>
export type PackageFunction = Static<typeof PackageFunction>
export type PackageDeployment = Static<typeof Deployment>
