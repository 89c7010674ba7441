import type { CoreV1, Draft, KubeObject } from '../../kube/index.ts'
import type { Dimension, FunctionSpec } from './class-runtime.ts'
import { isFields } from './differs.ts'
import { fieldFor } from './handed.ts'
import { valueOf } from './handover-fields.ts'
import { enforcedAnnotation, FUNCTION_CONTAINER } from './nfr/live.ts'
import { merged, ownedFields } from './owned-fields.ts'
import { MIN_SCALE } from './templates/knative.ts'
import { ENFORCER, type HandedField, type ManagedKind, type RenderedChild } from './types.ts'

type Fields = Readonly<Record<string, unknown>>

export interface HandBack {
  /** First: the live object is brought to what the spec says, in one change, and still bears the mark. */
  readonly during: Draft
  /** Last, when the controller says the same: only what stays enforced. */
  readonly after: Draft
}

const PATHS: Readonly<Record<HandedField, readonly string[]>> = {
  replicas: ['spec', 'replicas'],
  minReplicas: ['spec', 'minReplicas'],
  minScale: ['spec', 'template', 'metadata', 'annotations', MIN_SCALE],
  resources: ['spec', 'template', 'spec', 'containers'],
}

/**
 * What the enforcer has to say of a live object to give dimensions back.
 *
 * A field that is rendered again gets its value from the rendering. What stays handed is somebody's still: the number of
 * replicas an autoscaler's, and of `resources` those of the dimension that is enforced further.
 */
export function handBackOf(
  live: KubeObject,
  dimensions: readonly Dimension[],
  { kind, object, handed }: Pick<RenderedChild, 'kind' | 'object' | 'handed'>,
  provision: FunctionSpec['provision_config'],
): HandBack {
  const fields = [...new Set(dimensions.flatMap((dimension) => fieldFor(kind, dimension) ?? []))]
  const freed = fields.filter((field) => !handed.includes(field))
  const kept = freed.reduce((all, field) => without(all, PATHS[field]), ownedFields(live, ENFORCER))
  const rest = handed.includes('resources') ? withRequests(kept, dimensions, provision) : kept
  return {
    during: draftOf(live, [...freed.map((field) => ({ spec: valueOf(object, field) })), rest]),
    after: draftOf(live, [withoutMarks(rest, dimensions)]),
  }
}

/** All that is left of the enforcer on an object that nobody renders: an autoscaler of somebody else. */
export function letGoOf(live: KubeObject, kind: ManagedKind, dimensions: readonly Dimension[]): Draft {
  const fields = dimensions.flatMap((dimension) => fieldFor(kind, dimension) ?? [])
  const kept = fields.reduce((all, field) => without(all, PATHS[field]), ownedFields(live, ENFORCER))
  return draftOf(live, [withoutMarks(kept, dimensions)])
}

/** The uid keeps it from making the object anew. */
function draftOf({ apiVersion, kind, metadata }: KubeObject, parts: readonly object[]): Draft {
  const { name, namespace = '', uid = '' } = metadata
  return parts.reduce(merged, { apiVersion, kind, metadata: { name, namespace, uid } }) as Draft
}

const withoutMarks = (fields: Fields, dimensions: readonly Dimension[]): Fields =>
  dimensions.reduce((all, one) => without(all, ['metadata', 'annotations', enforcedAnnotation(one)]), fields)

/** What gets empty by that goes as well: to say nothing of a map is not to say that it is empty. */
function without(fields: Fields, [name = '', ...below]: readonly string[]): Fields {
  const { [name]: value, ...others } = fields
  if (value === undefined) return fields
  const left = below.length > 0 && isFields(value) ? without(value, below) : {}
  return Object.keys(left).length === 0 ? others : { ...others, [name]: left }
}

function withRequests(
  fields: Fields,
  dimensions: readonly Dimension[],
  provision: FunctionSpec['provision_config'] = {},
): Fields {
  const { spec } = fields as { spec?: { template?: { spec?: { containers?: readonly CoreV1.Container[] } } } }
  const containers = spec?.template?.spec?.containers?.map((container) =>
    container.name === FUNCTION_CONTAINER
      ? { ...container, resources: asWritten(container.resources ?? {}, dimensions, provision) }
      : container,
  )
  if (containers === undefined) return fields
  return merged(without(fields, PATHS.resources), { spec: { template: { spec: { containers } } } }) as Fields
}

function asWritten(
  { requests, limits }: CoreV1.ResourceRequirements,
  dimensions: readonly Dimension[],
  provision: NonNullable<FunctionSpec['provision_config']>,
): CoreV1.ResourceRequirements {
  const next = { requests: { ...requests }, limits: { ...limits } }
  for (const dimension of dimensions) {
    if (dimension === 'replicas') continue
    for (const [which, written] of [
      ['requests', provision[`${dimension}_request`]],
      ['limits', provision[`${dimension}_limit`]],
    ] as const) {
      delete next[which][dimension]
      if (written) next[which][dimension] = written
    }
  }
  return next
}
