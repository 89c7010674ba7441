import type { Dimension } from '../class-runtime.ts'
import { isEnforced, liveValue } from './live.ts'
import type { ChildRef, Enforce, Observed } from '../types.ts'

export interface EnforcementTarget {
  readonly path: Enforce['path']
  readonly child: ChildRef
  /** What it says now; absent: nothing is set. */
  readonly current: number | undefined
  /** It bears the enforcer's mark, whatever the status says. */
  readonly isEnforced: boolean
  /** More than this it cannot be asked for. */
  readonly most?: number
  /** The autoscaler that measures use as a share of this request. */
  readonly measuredBy?: string
}

/** Where a value of this dimension is set. An autoscaler comes first: whatever else is set, it decides in the end. */
export function enforcementTarget(
  { autoscalers, children }: Observed,
  workload: string,
  dimension: Dimension,
): EnforcementTarget | undefined {
  const live = children.find(
    ({ kind, name, deleting }) =>
      name === workload && !deleting && (kind === 'Deployment' || kind === 'KnativeService'),
  )
  if (live === undefined) return undefined
  const aimed = live.kind === 'Deployment' ? autoscalers.filter(({ target }) => target === workload) : []
  const autoscaler = aimed.find(({ isOurs }) => isOurs) ?? aimed[0]
  if (autoscaler === undefined || dimension !== 'replicas') {
    const path = live.kind === 'Deployment' ? 'deployment' : 'knative'
    const { kind, name, object } = live
    const current = liveValue(path, dimension, object)
    const measuring = aimed.find(({ utilization }) => utilization?.some((one) => one === dimension))
    return {
      path,
      child: { kind, name },
      current,
      isEnforced: isEnforced(object, dimension),
      ...(measuring && { measuredBy: measuring.name }),
    }
  }
  const { name, minReplicas, maxReplicas } = autoscaler
  const child = { kind: 'HorizontalPodAutoscaler', name } as const
  const ours = children.find((one) => one.kind === child.kind && one.name === name)
  return {
    path: 'hpa',
    child,
    current: minReplicas,
    isEnforced: ours !== undefined && isEnforced(ours.object, dimension),
    most: maxReplicas,
  }
}
