import {
  isApplier,
  isOwnedBy,
  mergeFields,
  ownedFields,
  type CoreV1,
  type Draft,
  type FieldPath,
  type KubeObject,
} from '../../../kube/index.ts'
import { DIMENSIONS, type Dimension, type FunctionSpec } from '../class-runtime.ts'
import { raise } from '../failures.ts'
import { inFunction, valueOf } from '../apply/handover-fields.ts'
import { MIN_SCALE } from '../templates/knative.ts'
import { AMOUNTS, ENFORCER, type Amount, type Enforce } from '../types.ts'
import { limitFor } from './dimension.ts'
import { enforcedAnnotation, FUNCTION_CONTAINER, functionContainerOf } from './live.ts'

const MI = 2 ** 20
const CONTAINER = ['spec', 'template', 'spec', 'containers', { key: { name: FUNCTION_CONTAINER } }]
const MIN_SCALE_PATH = ['spec', 'template', 'metadata', 'annotations', MIN_SCALE]

/** The enforcer applied this field, and no other manager has changed it since. */
const isEnforcers = (live: KubeObject, path: FieldPath): boolean => isOwnedBy(live, path, isApplier(ENFORCER))

/**
 * All that the enforcer says about an object after this change: the new value, and what it has said before with the values
 * that are live, because an apply takes back whatever it leaves out. The uid keeps it from making the object anew.
 */
export function enforcementDraft(
  live: KubeObject,
  { path, dimension, to }: Pick<Enforce, 'path' | 'dimension' | 'to'>,
  fn: FunctionSpec | undefined,
): Draft {
  const { name, namespace = '', uid = '' } = live.metadata
  const spec = {
    ...(path !== 'knative' && replicasOf(live, path, dimension === 'replicas' ? to : undefined)),
    ...(path !== 'hpa' && templateOf(live, path, dimension, to, fn)),
  }
  const annotations = annotationsOf(live, dimension, to)
  return {
    apiVersion: live.apiVersion,
    kind: live.kind,
    metadata: { name, namespace, uid, annotations },
    spec,
  } as Draft
}

function replicasOf(live: KubeObject, path: 'hpa' | 'deployment', to: number | undefined): object {
  const field = path === 'hpa' ? 'minReplicas' : 'replicas'
  const kept = isEnforcers(live, ['spec', field])
    ? (live as { spec?: Record<string, unknown> }).spec?.[field]
    : undefined
  const value = to ?? kept
  return value === undefined ? {} : { [field]: value }
}

function templateOf(
  live: KubeObject,
  path: 'knative' | 'deployment',
  dimension: Dimension,
  to: number,
  fn: FunctionSpec | undefined,
): object {
  const scale = path === 'knative' ? scaleOf(live, dimension === 'replicas' ? `${to}` : undefined) : undefined
  const owned = ownedFields(live, ENFORCER) as Draft
  const kept = AMOUNTS.filter((other) => other !== dimension).map((other) => valueOf(owned, other))
  return [
    ...(scale === undefined ? [] : [{ template: { metadata: { annotations: { [MIN_SCALE]: scale } } } }]),
    ...kept,
    ...(dimension === 'replicas' ? [] : [inFunction(resourcesWith(live, dimension, to, fn))]),
  ].reduce<object>((all, part) => mergeFields(all, part) as object, {})
}

function scaleOf(live: KubeObject, to: string | undefined): string | undefined {
  if (to !== undefined || !isEnforcers(live, MIN_SCALE_PATH)) return to
  const { template } = (
    live as unknown as { spec: { template: { metadata?: { annotations?: Record<string, string> } } } }
  ).spec
  return template.metadata?.annotations?.[MIN_SCALE]
}

/** A limit of the spec stands; without one it follows the request. */
function resourcesWith(
  live: KubeObject,
  dimension: Amount,
  to: number,
  fn: FunctionSpec | undefined,
): CoreV1.ResourceRequirements {
  const where = `${live.kind} ${live.metadata.name}`
  if (functionContainerOf(live) === undefined)
    throw raise.RuntimeEnforceInvalid(`${where} has no container "${FUNCTION_CONTAINER}"`)
  if (!isOwnedBy(live, CONTAINER, () => true)) {
    const because = 'its definition takes the list of containers as one value, so that nobody can own a part of it'
    throw raise.RuntimeEnforceInvalid(`${dimension} of ${where} cannot be set: ${because}`)
  }
  const limit = fn?.provision_config?.[`${dimension}_limit`] || quantity(dimension, limitFor(dimension, to))
  return {
    requests: { [dimension]: quantity(dimension, to) },
    limits: { [dimension]: limit },
  }
}

function quantity(dimension: Amount, value: number): string {
  if (dimension === 'cpu') return `${Math.ceil(value)}m`
  return value % MI === 0 ? `${value / MI}Mi` : `${Math.ceil(value)}`
}

function annotationsOf(live: KubeObject, dimension: Dimension, to: number): Record<string, string> {
  const kept = DIMENSIONS.map(enforcedAnnotation).flatMap((name) => {
    const value = live.metadata.annotations?.[name]
    return value !== undefined && isEnforcers(live, ['metadata', 'annotations', name]) ? [[name, value] as const] : []
  })
  return { ...Object.fromEntries(kept), [enforcedAnnotation(dimension)]: `${to}` }
}
