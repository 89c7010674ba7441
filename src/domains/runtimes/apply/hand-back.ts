import { isFields, mergeFields, ownedFields, type Draft, type Fields, type KubeObject } from '../../../kube/index.ts'
import type { Dimension } from '../class-runtime.ts'
import { fieldFor } from './delegated-fields.ts'
import { valueOf } from './handover-fields.ts'
import { enforcedAnnotation } from '../nfr/live.ts'
import { MIN_SCALE } from '../templates/knative.ts'
import { ENFORCER, type HandedField, type ManagedKind, type RenderedChild } from '../types.ts'

export interface HandBack {
  /** First: the live object is brought to what the spec says, in one change, and still bears the mark. */
  readonly during: Draft
  /** Last, when the controller says the same: only what stays enforced. */
  readonly after: Draft
}

const CONTAINERS = ['spec', 'template', 'spec', 'containers']

const PATHS: Readonly<Record<HandedField, readonly string[]>> = {
  replicas: ['spec', 'replicas'],
  minReplicas: ['spec', 'minReplicas'],
  minScale: ['spec', 'template', 'metadata', 'annotations', MIN_SCALE],
  memory: CONTAINERS,
  cpu: CONTAINERS,
}

/**
 * What the enforcer has to say of a live object to give dimensions back.
 *
 * A field that is rendered again gets its value from the rendering. What stays handed is somebody's still: the number of
 * replicas an autoscaler's, and of a container the request and the limit that are enforced further.
 */
export function handBackOf(
  live: KubeObject,
  dimensions: readonly Dimension[],
  { kind, object, handed }: Pick<RenderedChild, 'kind' | 'object' | 'handed'>,
): HandBack {
  const owned = ownedFields(live, ENFORCER)
  const fields = dimensions.flatMap((dimension) => fieldFor(kind, dimension) ?? [])
  const freed = fields.filter((field) => !handed.includes(field) && isHeld(owned, field))
  const kept = keptOf(owned, freed, handed)
  return {
    during: draftOf(live, [...freed.map((field) => ({ spec: valueOf(object, field) })), kept]),
    after: draftOf(live, [withoutMarks(kept, dimensions)]),
  }
}

const isAmount = (field: HandedField): boolean => PATHS[field] === CONTAINERS

/** An atomic list of containers, as in Knative, belongs to the controller: applying a part of it would own all of it. */
const isHeld = (owned: Fields, field: HandedField): boolean =>
  !isAmount(field) || Object.keys(valueOf(owned as Draft, field)).length > 0

/** Two fields are in the same container, so that the one that stays is put back when the other one goes. */
function keptOf(owned: Fields, freed: readonly HandedField[], handed: readonly HandedField[]): Fields {
  const rest = freed.reduce((all, field) => without(all, PATHS[field]), owned)
  const amounts = handed.filter(isAmount).map((field) => ({ spec: valueOf(owned as Draft, field) }))
  return amounts.reduce<unknown>(mergeFields, rest) as Fields
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
  return parts.reduce(mergeFields, { apiVersion, kind, metadata: { name, namespace, uid } }) as Draft
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
