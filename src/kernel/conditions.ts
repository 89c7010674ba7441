export interface Condition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  /** PascalCase fact. */
  readonly reason: string
  readonly message: string
  readonly observedGeneration: number
  readonly lastTransitionTime: string
}

/**
 * Puts `next` among `all`, which stay sorted by type.
 *
 * The transition time moves only when the status did, as Kubernetes has it. An unchanged truth returns the very same array,
 * so that writing it again can be recognised as nothing to write.
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

/** RFC 3339 with whole seconds, the only form that Kubernetes keeps as it was written. */
export const timestamp = (ms: number): string => new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z')
