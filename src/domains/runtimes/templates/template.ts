import type { ClassRuntime, ClassRuntimeSpec } from '../class-runtime.ts'
import type { ChildRef, HandedField, ManagedKind, ObservedChild, ObservedPod, RenderedChild, Router } from '../types.ts'

export const TEMPLATE_IDS = ['dev', 'edge', 'k8s_deployment', 'knative'] as const
export type TemplateId = (typeof TEMPLATE_IDS)[number]

export const PROFILES = ['dev', 'edge', 'full'] as const
export type Profile = (typeof PROFILES)[number]

/** What an installation decides once for all runtimes. */
export interface RenderSettings {
  readonly profile: Profile
  /** Functions with room between `min_scale` and `max_scale` get an autoscaler. */
  readonly hpa: boolean
  readonly odgm: { readonly image: string; readonly pullPolicy: 'Always' | 'IfNotPresent' | 'Never' }
  /** Where telemetry is sent; absent: workloads are not told. */
  readonly otlpEndpoint?: string
}

export interface RenderInput {
  readonly runtime: ClassRuntime
  readonly settings: RenderSettings
  readonly served: readonly ManagedKind[]
  /** Those of the namespace, which a data grid joins. */
  readonly routers: readonly Router[]
  /** Fields that somebody else sets on a child. */
  readonly handed: (child: ChildRef) => readonly HandedField[]
}

/** Where a function is reached. */
export interface RenderedFunction {
  readonly functionKey: string
  readonly service?: string
  readonly port?: number
  readonly predictedUrl: string
  /** Its workload; absent for a function that runs inside ODGM. */
  readonly workload?: ChildRef
}

/** A mistake in the spec that makes a child impossible: `spec.functions[1].provision_config.container_image`. */
export interface RenderProblem {
  readonly field: string
  readonly message: string
}

export interface Rendered {
  readonly children: readonly RenderedChild[]
  readonly functions: readonly RenderedFunction[]
  readonly problems: readonly RenderProblem[]
}

export interface Readiness {
  readonly ready: boolean
  readonly reason: string
  readonly message: string
}

export type ReadinessRule = (child: ObservedChild, pods: readonly ObservedPod[]) => Readiness

/** What a score is made from. */
export interface Traits {
  readonly profile: Profile
  readonly spec: ClassRuntimeSpec
  readonly served: readonly ManagedKind[]
}

/** One style of running a class, whole in one file. Stateless: the same input renders the same children. */
export interface Template {
  readonly id: TemplateId
  readonly aliases: readonly string[]
  /** Every kind that `render` may return. */
  readonly managed: readonly ManagedKind[]
  /** Kinds without which it cannot be chosen. */
  readonly needs: readonly ManagedKind[]
  readonly supportsOdgm: boolean
  /** Kinds that count for `available`, and when one of them is ready. */
  readonly readiness: Readonly<Partial<Record<ManagedKind, ReadinessRule>>>
  score(traits: Traits): number
  render(input: RenderInput): Rendered
}
