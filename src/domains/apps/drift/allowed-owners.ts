import type { Owner } from './field-owners.ts'

/** An object whose purpose is to change fields of another one. */
export interface Autoscaler {
  readonly kind: 'HorizontalPodAutoscaler' | 'ScaledObject' | 'VerticalPodAutoscaler'
  readonly name: string
  /** `Deployment/web`. */
  readonly target: string
}

/** A manager that the platform or the template trusts with fields of ours. */
export interface AllowedManager {
  /** Its name; `*` at the end stands for any rest. */
  readonly manager: string
  /** Only fields at or below this path, such as `.metadata.annotations`. @default all */
  readonly under?: string
  readonly saidBy: 'platform' | 'template'
}

export interface OwnershipFacts {
  readonly autoscalers: readonly Autoscaler[]
  readonly allowed: readonly AllowedManager[]
}

const SCALED: Readonly<Record<Autoscaler['kind'], RegExp>> = {
  HorizontalPodAutoscaler: /^\.spec\.replicas$/,
  ScaledObject: /^\.spec\.replicas$/,
  VerticalPodAutoscaler: /^\.spec\.template\.spec\.(?:containers|initContainers)\[[^\]]*\]\.resources(?:\.|$)/,
}

/**
 * Why the field may differ from what we set, or `undefined` when it may not.
 *
 * An autoscaler that targets the object decides its fields whoever wrote them last: repairing a manual scale under an
 * autoscaler would only make it scale twice.
 */
export function meantToDiffer(
  object: string,
  path: string,
  owners: readonly Owner[],
  { autoscalers, allowed }: OwnershipFacts,
): string | undefined {
  const scaler = autoscalers.find(({ kind, target }) => target === object && SCALED[kind].test(path))
  if (scaler !== undefined) return `${scaler.kind} ${scaler.name} decides it`
  for (const { manager } of owners) {
    const rule = allowed.find((one) => isNamed(one.manager, manager) && isUnder(path, one.under))
    if (rule !== undefined) return `the ${rule.saidBy} lets ${manager} own it`
  }
  return undefined
}

const isNamed = (rule: string, manager: string): boolean =>
  rule.endsWith('*') ? manager.startsWith(rule.slice(0, -1)) : manager === rule

const isUnder = (path: string, under = ''): boolean =>
  path === under || under === '' || path.startsWith(`${under}.`) || path.startsWith(`${under}[`)
