import { isAtOrBelow, type FieldOwner, type FieldPath } from '../../../kube/index.ts'
import type { JsonObject } from '../values/json.ts'
import { objectName } from './diff-objects.ts'
import { ruleFor, type IgnoreRule } from './ignore-rules.ts'

/** An object that changes fields of another one. */
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
  /** Only fields at or below this path, such as `metadata.annotations`. @default all */
  readonly under?: string
  readonly saidBy: 'platform' | 'template'
}

export interface OwnershipFacts {
  readonly autoscalers: readonly Autoscaler[]
  readonly allowed: readonly AllowedManager[]
  /** Those of the template. */
  readonly ignored: readonly IgnoreRule[]
}

/** Why a field may differ. */
export interface Allowance {
  readonly why: string
  /** The rule of the template, if it is by one: whoever holds the field. */
  readonly rule?: string
}

const isReplicas = ([first, second, ...rest]: FieldPath): boolean =>
  first === 'spec' && second === 'replicas' && rest.length === 0

/** `spec.template.spec.containers[name=…].resources` and what is inside it. */
const isResources = ([spec, template, pod, list, , field]: FieldPath): boolean =>
  spec === 'spec' &&
  template === 'template' &&
  pod === 'spec' &&
  (list === 'containers' || list === 'initContainers') &&
  field === 'resources'

const SCALED: Readonly<Record<Autoscaler['kind'], (path: FieldPath) => boolean>> = {
  HorizontalPodAutoscaler: isReplicas,
  ScaledObject: isReplicas,
  VerticalPodAutoscaler: isResources,
}

/**
 * Why the field may differ from what we set, or `undefined` when it may not.
 *
 * The fields of an autoscaler are its own, whichever manager wrote them last: repairing a manual scale would only make
 * the autoscaler scale again.
 */
export function meantToDiffer(
  desired: JsonObject,
  path: FieldPath,
  owners: readonly FieldOwner[],
  { autoscalers, allowed, ignored }: OwnershipFacts,
): Allowance | undefined {
  const object = objectName(desired)
  const scaler = autoscalers.find(({ kind, target }) => target === object && SCALED[kind](path))
  if (scaler !== undefined) return { why: `${scaler.kind} ${scaler.name} decides it` }
  for (const { manager } of owners) {
    const rule = allowed.find((one) => isNamed(one.manager, manager) && isAtOrBelow(path, one.under ?? ''))
    if (rule !== undefined) return { why: `the ${rule.saidBy} lets ${manager} own it` }
  }
  const rule = ruleFor(desired, path, ignored)
  return rule === undefined ? undefined : { why: `the template ignores ${rule}`, rule }
}

const isNamed = (rule: string, manager: string): boolean =>
  rule.endsWith('*') ? manager.startsWith(rule.slice(0, -1)) : manager === rule
