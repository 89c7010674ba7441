import { fieldOf, isFields, type Fields } from './fields/fields.ts'
import type { KubeObject } from './objects.ts'

/** Whether the controllers have brought an object to what its spec says. `because` is a predicate: `has no address`. */
export type Health =
  | { readonly is: 'ready' }
  /** `isDown`: none of its replicas answers. */
  | { readonly is: 'progressing'; readonly because: string; readonly isDown?: boolean }
  /** Its controller reports that it will not get there. */
  | { readonly is: 'failing'; readonly because: string }

const READY: Health = { is: 'ready' }
const progressing = (because: string): Health => ({ is: 'progressing', because })
const failing = (because: string): Health => ({ is: 'failing', because })

/**
 * The health of a live object. A status of an older generation does not count.
 * Kinds without a rule are healthy if their `Ready` or `Available` condition is true or absent.
 */
export function objectHealth(live: KubeObject): Health {
  if (live.metadata.deletionTimestamp !== undefined) return progressing('is being deleted')
  // The groups of these kinds have no dots; a custom resource may have the same kind.
  const rule = live.apiVersion.includes('.') ? undefined : RULES[live.kind]
  if (rule === undefined) return conditionsHealth(live)
  const isStale = OBSERVED.has(live.kind) && !isObserved(live)
  const health = isStale ? progressing('has not been observed by its controller yet') : rule(live)
  return health.is === 'progressing' && isDown(live) ? { ...health, isDown: true } : health
}

/** How many replicas answer, by kind. */
const ANSWERING: Readonly<Record<string, string>> = {
  Deployment: 'availableReplicas',
  StatefulSet: 'readyReplicas',
  DaemonSet: 'numberAvailable',
  ReplicaSet: 'readyReplicas',
}

/** A Deployment also says so itself when fewer answer than it may go without. */
function isDown(live: KubeObject): boolean {
  const field = ANSWERING[live.kind]
  if (field === undefined) return live.kind === 'Pod'
  return (numberAt(live, 'status', field) ?? 0) === 0 || conditionOf(live, 'Available')?.status === 'False'
}

/** Whether the status is about the present generation of the spec. */
export const isObserved = (live: KubeObject): boolean =>
  (numberAt(live, 'status', 'observedGeneration') ?? 0) >= (live.metadata.generation ?? 0)

export interface Rollout {
  readonly wanted: number
  /** Replicas of the present template. */
  readonly updated: number
  readonly available: number
  /** Replicas of earlier templates that still exist. */
  readonly old: number
  /** The rollout passed its progress deadline. */
  readonly stalled?: string
  /** Pods that could not be created, because of a quota for instance. */
  readonly refused?: string
}

/** How far a Deployment has come, by the rules of `kubectl rollout status`. Replicas above `wanted` are on their way out. */
export function rolloutOf(deployment: KubeObject): Rollout {
  const status = (name: string): number => numberAt(deployment, 'status', name) ?? 0
  const updated = status('updatedReplicas')
  const [progress, failure] = [conditionOf(deployment, 'Progressing'), conditionOf(deployment, 'ReplicaFailure')]
  return {
    wanted: numberAt(deployment, 'spec', 'replicas') ?? 1,
    updated,
    available: status('availableReplicas'),
    old: Math.max(0, status('replicas') - updated),
    ...(progress?.status === 'False' && { stalled: progress.message ?? 'makes no progress' }),
    ...(failure?.status === 'True' && { refused: failure.message ?? 'cannot create pods' }),
  }
}

/** Kinds whose controllers report the generation that they have observed. */
const OBSERVED: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet'])

const RULES: Readonly<Record<string, (live: KubeObject) => Health>> = {
  Deployment(live) {
    const { wanted, updated, available, old, stalled, refused } = rolloutOf(live)
    if (stalled !== undefined) return failing(stalled)
    // Its controller goes on trying, and gets over a quota that is raised or a service account that comes late.
    if (refused !== undefined) return progressing(refused)
    if (updated < wanted) return counted(updated, wanted, 'updated')
    if (old > 0) return progressing(`still has ${old} old replicas`)
    return counted(available, wanted, 'available')
  },
  StatefulSet(live) {
    const wanted = numberAt(live, 'spec', 'replicas') ?? 1
    const [current, next] = [textAt(live, 'status', 'currentRevision'), textAt(live, 'status', 'updateRevision')]
    const isManual = textAt(live, 'spec', 'updateStrategy', 'type') === 'OnDelete'
    if (!isManual && current !== next) {
      const partition = numberAt(live, 'spec', 'updateStrategy', 'rollingUpdate', 'partition') ?? 0
      const updated = counted(numberAt(live, 'status', 'updatedReplicas'), Math.max(0, wanted - partition), 'updated')
      if (updated.is !== 'ready') return updated
    }
    return counted(numberAt(live, 'status', 'readyReplicas'), wanted, 'ready')
  },
  DaemonSet(live) {
    const wanted = numberAt(live, 'status', 'desiredNumberScheduled') ?? 0
    const updated = counted(numberAt(live, 'status', 'updatedNumberScheduled'), wanted, 'updated')
    return updated.is === 'ready' ? counted(numberAt(live, 'status', 'numberAvailable'), wanted, 'available') : updated
  },
  ReplicaSet: (live) =>
    counted(numberAt(live, 'status', 'readyReplicas'), numberAt(live, 'spec', 'replicas') ?? 1, 'ready'),
  Job(live) {
    const failed = conditionOf(live, 'Failed')
    if (failed?.status === 'True') return failing(`failed: ${failed.message ?? ''}`)
    const isDone = conditionOf(live, 'Complete')?.status === 'True' || valueAt(live, 'spec', 'suspend') === true
    return isDone ? READY : progressing('has not completed')
  },
  Pod(live) {
    const phase = textAt(live, 'status', 'phase')
    if (phase === 'Succeeded' || conditionOf(live, 'Ready')?.status === 'True') return READY
    if (phase !== 'Failed') return progressing('is not ready')
    return failing(`failed: ${textAt(live, 'status', 'message') ?? textAt(live, 'status', 'reason') ?? ''}`)
  },
  /** A claim that binds to its first consumer waits while nothing is wrong: the pod that needs it is not ready. */
  PersistentVolumeClaim: (live) =>
    textAt(live, 'status', 'phase') === 'Lost' ? failing('has lost its volume') : READY,
  Service(live) {
    if (textAt(live, 'spec', 'type') !== 'LoadBalancer') return READY
    const addresses = [valueAt(live, 'status', 'loadBalancer', 'ingress'), valueAt(live, 'spec', 'externalIPs')]
    const hasAddress = addresses.some((list) => Array.isArray(list) && list.length > 0)
    return hasAddress ? READY : progressing('has no address of a load balancer yet')
  },
}

const counted = (count = 0, wanted: number, what: string): Health =>
  count < wanted ? progressing(`has ${count} of ${wanted} replicas ${what}`) : READY

function conditionsHealth(live: KubeObject): Health {
  const condition = conditionOf(live, 'Ready') ?? conditionOf(live, 'Available')
  if (condition === undefined || condition.status === 'True') return READY
  return progressing(`is not ready: ${condition.message ?? condition.reason ?? 'it does not say why'}`)
}

export interface ReportedCondition {
  /** `True`, `False` or `Unknown`. */
  readonly status: string
  readonly reason?: string
  readonly message?: string
}

/** A condition in the status of a live object. */
export function conditionOf(live: KubeObject, type: string): ReportedCondition | undefined {
  const conditions = valueAt(live, 'status', 'conditions')
  const found: unknown = Array.isArray(conditions)
    ? conditions.find((one) => isFields(one) && one['type'] === type)
    : undefined
  if (!isFields(found)) return undefined
  const [reason, message] = [fieldOf(found, 'reason'), fieldOf(found, 'message')]
  return {
    status: typeof found['status'] === 'string' ? found['status'] : 'Unknown',
    ...(typeof reason === 'string' && { reason }),
    ...(typeof message === 'string' && { message }),
  }
}

const valueAt = (live: KubeObject, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, name) => (isFields(inner) ? fieldOf(inner, name) : undefined), live as unknown as Fields)

function numberAt(live: KubeObject, ...path: readonly string[]): number | undefined {
  const value = valueAt(live, ...path)
  return typeof value === 'number' ? value : undefined
}

function textAt(live: KubeObject, ...path: readonly string[]): string | undefined {
  const value = valueAt(live, ...path)
  return typeof value === 'string' ? value : undefined
}
