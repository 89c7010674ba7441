import type { Dimension } from '../class-runtime.ts'
import { functionLabel } from '../names.ts'
import { liveValue } from '../nfr/live.ts'
import { FUNCTION_LABEL, type ObservedChild } from '../types.ts'

const PATHS: Readonly<Record<string, 'deployment' | 'knative'>> = {
  Deployment: 'deployment',
  KnativeService: 'knative',
}

/** What the workload of a function has now: replicas, bytes of memory requested, millicores of cpu requested. */
export function valueOf(
  children: readonly ObservedChild[],
  functionKey: string,
  dimension: Dimension,
): number | undefined {
  const label = functionLabel(functionKey)
  const workload = children.find(
    ({ kind, object }) => kind in PATHS && object.metadata.labels?.[FUNCTION_LABEL] === label,
  )
  const path = workload && PATHS[workload.kind]
  return workload === undefined || path === undefined ? undefined : liveValue(path, dimension, workload.object)
}
