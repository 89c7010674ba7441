import type { HorizontalPodAutoscaler } from '../../../kube/index.ts'
import type { ObservedAutoscaler } from '../types.ts'

type Measured = NonNullable<ObservedAutoscaler['utilization']>[number]

/** What an autoscaler without any metric scales by: the API server says 80 % of the cpu that is requested. */
const DEFAULT: readonly Measured[] = ['cpu']

/** The requests that an autoscaler measures use as a share of: to change one of them is to change what it sees. */
export function utilizationOf({ metrics = [] }: Pick<HorizontalPodAutoscaler['spec'], 'metrics'>): readonly Measured[] {
  if (metrics.length === 0) return DEFAULT
  return (['memory', 'cpu'] as const).filter((resource) =>
    metrics.some(({ resource: pod, containerResource: container }) =>
      [pod, container].some((source) => source?.name === resource && source.target.type === 'Utilization'),
    ),
  )
}
