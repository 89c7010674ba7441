import type { Failure } from '../../kernel/index.ts'
import type { Draft, KubeObject } from '../../kube/index.ts'
import type { ClassRuntime, ClassRuntimeStatus, Dimension } from './class-runtime.ts'

export const PHASES = ['pending', 'applying', 'progressing', 'available', 'degraded', 'deleting'] as const
export type Phase = (typeof PHASES)[number]

/** Whose fields are whose: the controller's, and those that the enforcer has taken over. */
export const MANAGER = 'oprc-crm'
export const ENFORCER = 'oprc-crm-enforcer'

export const FINALIZER = 'oaas.io/finalizer'
export const OWNER_LABEL = 'oaas.io/owner'
export const FUNCTION_LABEL = 'oaas.io/function'
export const COMPONENT_LABEL = 'oaas.io/component'
/** On a ClassRuntime, any value but `false`: take fields over from whoever owns them. */
export const FORCE_ANNOTATION = 'oaas.io/force-apply'

/** Every kind that some template renders. Cleaning up looks for all of them, whatever the template is now. */
export const MANAGED_KINDS = [
  'Deployment',
  'Service',
  'KnativeService',
  'HorizontalPodAutoscaler',
  'ServiceMonitor',
  'PodMonitor',
] as const
export type ManagedKind = (typeof MANAGED_KINDS)[number]

export interface ChildRef {
  readonly kind: ManagedKind
  readonly name: string
}

export type Component = 'function' | 'odgm' | 'monitor'

/**
 * A field of a child that another manager sets, so that the template leaves it out. `memory` and `cpu` are each the
 * request and the limit of the function: where only one of them is enforced, the other one follows the spec.
 */
export type HandedField = 'replicas' | 'minReplicas' | 'minScale' | Amount

/** What a container asks for. */
export const AMOUNTS = ['memory', 'cpu'] as const
export type Amount = (typeof AMOUNTS)[number]

export interface RenderedChild extends ChildRef {
  readonly component: Component
  /** Set for what belongs to one function. */
  readonly functionKey?: string
  readonly object: Draft
  /** What was left out of `object`, because the enforcer or an autoscaler sets it. */
  readonly handed: readonly HandedField[]
}

/** A child as the caches have it, with the fields that readiness and comparison need. */
export interface ObservedChild extends ChildRef {
  readonly uid: string
  readonly deleting: boolean
  readonly object: KubeObject
}

export interface ObservedContainer {
  readonly name: string
  readonly ready: boolean
  readonly restarts: number
  /** `CrashLoopBackOff`, `ImagePullBackOff`, … while it waits. */
  readonly waiting?: string
  readonly message?: string
  readonly startedAt?: number
  /** How it ended last time: reason, exit code and what it wrote to its termination log. */
  readonly lastExit?: { readonly reason: string; readonly exitCode: number; readonly message: string }
}

export interface ObservedPod {
  readonly name: string
  readonly uid: string
  readonly deleting: boolean
  /** Of a revision that its workload has left behind. Absent: it is current, or nobody can tell. */
  readonly isSuperseded?: true
  readonly component: Component
  readonly functionKey?: string
  /** Why it is not scheduled, in the scheduler's words. */
  readonly unschedulable?: string
  readonly containers: readonly ObservedContainer[]
}

/** Any autoscaler aimed at a Deployment of ours, whoever made it. */
export interface ObservedAutoscaler {
  readonly name: string
  readonly target: string
  readonly minReplicas: number
  readonly maxReplicas: number
  readonly isOurs: boolean
  /** The requests that it measures use as a share of. */
  readonly utilization?: ReadonlyArray<Exclude<Dimension, 'replicas'>>
  /** It bears the mark of the enforcer. */
  readonly isEnforced?: true
}

export interface Router {
  readonly service: string
  readonly port: number
}

/** What one run sees: everything that is decided upon, as plain JSON, so that the decision can be replayed. */
export interface Observed {
  readonly runtime: ClassRuntime
  /** Those with our owner label, of every managed kind, except what is controlled by somebody else. */
  readonly children: readonly ObservedChild[]
  readonly pods: readonly ObservedPod[]
  readonly autoscalers: readonly ObservedAutoscaler[]
  readonly routers: readonly Router[]
  /** Kinds that the API server serves. */
  readonly served: readonly ManagedKind[]
  /** Children that a webhook changed during our apply: not applied again for it. `kind/name/uid/generation`. */
  readonly mutated: readonly string[]
  /** Recent enforcements and deletions of orphans in the whole control plane, for the budgets. */
  readonly recent: { readonly enforcements: number; readonly orphans: number }
  /** What this very run has tried already. */
  readonly done: readonly Done[]
}

export type Action =
  | { readonly do: 'addFinalizer' }
  | { readonly do: 'removeFinalizer' }
  /** `from`: fields that we still own and this apply leaves out. Another manager takes their live values first. */
  | {
      readonly do: 'apply'
      readonly child: RenderedChild
      readonly force: boolean
      readonly from?: ObservedChild
      /** What the enforcer gives back with it. */
      readonly back?: readonly Dimension[]
    }
  /** The enforcer takes its mark and its value off an object that is not ours. */
  | { readonly do: 'handBack'; readonly child: ChildRef; readonly dimensions: readonly Dimension[] }
  | { readonly do: 'delete'; readonly child: ObservedChild; readonly because: 'orphan' | 'deletion' }
  | Enforce

export interface Enforce {
  readonly do: 'enforce'
  readonly functionKey: string
  readonly dimension: Dimension
  /** The first that is there; the actuator does not choose. */
  readonly path: 'hpa' | 'knative' | 'deployment'
  readonly child: ChildRef
  readonly from: number | undefined
  readonly to: number
  readonly isClamped: boolean
  readonly basis: string
  readonly confidence: number
}

/** How an action ended. A failure does not stop the others. */
export interface Done {
  readonly action: Action
  readonly failure?: Failure & {
    /** For a conflict: who else sets which field. */
    readonly conflicts?: ReadonlyArray<{ readonly manager: string; readonly field: string }>
  }
}

/** Something to tell as a Kubernetes Event, once. */
export interface Notice {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly action: string
  readonly note: string
}

export interface Decision {
  readonly phase: Phase
  /** In this order. Empty: there is nothing to do. */
  readonly actions: readonly Action[]
  /** The whole status after this run; the very same object as before when nothing is new. */
  readonly status: ClassRuntimeStatus
  readonly notices: readonly Notice[]
  /** Absent: only an event can change anything. */
  readonly checkAgain?: { readonly afterMs: number; readonly because: string }
}
