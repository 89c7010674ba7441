export interface Condition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  /** In PascalCase, such as `MinimumReplicasAvailable`. */
  readonly reason: string
  readonly message: string
  readonly observedGeneration: number
  readonly lastTransitionTime: string
}

/**
 * Adds or replaces a condition; the result is sorted by type.
 *
 * The transition time changes only with the status, as in Kubernetes. If nothing changed, the same array is
 * returned, so that the caller can skip the write.
 */
export function setCondition(
  all: readonly Condition[],
  next: Omit<Condition, 'lastTransitionTime'>,
  now: number,
): readonly Condition[] {
  const old = all.find(({ type }) => type === next.type)
  if (
    old?.status === next.status &&
    old.reason === next.reason &&
    old.message === next.message &&
    old.observedGeneration === next.observedGeneration
  ) {
    return all
  }
  const lastTransitionTime = old?.status === next.status ? old.lastTransitionTime : timestamp(now)
  return [...all.filter(({ type }) => type !== next.type), { ...next, lastTransitionTime }].toSorted((a, b) =>
    a.type < b.type ? -1 : 1,
  )
}

export const dropCondition = (all: readonly Condition[], type: string): readonly Condition[] =>
  all.some((condition) => condition.type === type) ? all.filter((condition) => condition.type !== type) : all

export const findCondition = (all: readonly Condition[], type: string): Condition | undefined =>
  all.find((condition) => condition.type === type)

/** RFC 3339 with whole seconds, the only form that Kubernetes stores unchanged. */
export const timestamp = (ms: number): string => new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z')
