import { sameValue } from '../../../kernel/index.ts'
import { sameQuantity, type KubeObject } from '../../../kube/index.ts'
import type { ObservedChild, RenderedChild } from '../types.ts'

/** One step into an object: a field, or an item of a list with the name it has, if it has one. */
export type PathPart = string | { readonly index: number; readonly name?: string }

export interface FieldChange {
  /** Into what is wanted. */
  readonly path: readonly PathPart[]
  /** Absent: it is not there. */
  readonly from?: unknown
  readonly to: unknown
}

type Fields = Readonly<Record<string, unknown>>

/**
 * Where a live object is not as we would apply it.
 *
 * Every field that we render has to be there with its value; what we do not render belongs to others and is not looked at.
 * Items of a list are found by their name where they have one. What the API server writes in its own way says the same:
 * `1000m` and `1`, an empty text and none.
 */
export function differs(wanted: RenderedChild['object'], live: Pick<KubeObject, 'metadata'>): FieldChange[] {
  const { apiVersion: _version, kind: _kind, metadata, ...rest } = wanted as RenderedChild['object'] & Fields
  const { name: _name, namespace: _namespace, ...ours } = metadata
  return inFields({ metadata: ours, ...rest }, live, [])
}

/** Names one state of a live child, as `Observed.mutated` has it. */
export const stateName = ({ kind, name, uid, object }: ObservedChild): string =>
  [kind, name, uid, object.metadata.generation ?? 0].join('/')

/** `spec.template.spec.containers[app].image`. A key with dots in it is quoted, or nobody could tell it from a path. */
export const fieldText = (path: readonly PathPart[]): string =>
  path
    .map((part) => {
      if (typeof part !== 'string') return `[${part.name ?? part.index}]`
      return part.includes('.') ? `["${part}"]` : `.${part}`
    })
    .join('')
    .replace(/^\./, '')

function inFields(wanted: object, live: unknown, path: readonly PathPart[]): FieldChange[] {
  const there = isFields(live) ? live : {}
  return Object.entries(wanted).flatMap(([name, value]) => inValue(value, there[name], [...path, name]))
}

function inValue(wanted: unknown, live: unknown, path: readonly PathPart[]): FieldChange[] {
  if (wanted === undefined || Object.is(wanted, live)) return []
  if (Array.isArray(wanted) && Array.isArray(live)) return sameValue(wanted, live) ? [] : inList(wanted, live, path)
  if (isFields(wanted) && isFields(live)) return inFields(wanted, live, path)
  if (saysTheSame(wanted, live, path)) return []
  return [live === undefined ? { path, to: wanted } : { path, from: live, to: wanted }]
}

function inList(wanted: readonly unknown[], live: readonly unknown[], path: readonly PathPart[]): FieldChange[] {
  if (wanted.length > 0 && wanted.every(isNamed)) {
    return wanted.flatMap((item, index) => {
      const { name } = item
      const there = live.find((one) => isNamed(one) && one.name === name)
      return inValue(item, there, [...path, { index, name }])
    })
  }
  if (wanted.length !== live.length) return [{ path, from: live, to: wanted }]
  return wanted.flatMap((item, index) => inValue(item, live[index], [...path, { index }]))
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isNamed = (value: unknown): value is Fields & { readonly name: string } =>
  isFields(value) && typeof value['name'] === 'string'

function saysTheSame(wanted: unknown, live: unknown, path: readonly PathPart[]): boolean {
  if (live === undefined || live === null) return isNothing(wanted)
  return isQuantity(path) && sameQuantity(textOf(wanted), textOf(live))
}

const textOf = (value: unknown): string =>
  typeof value === 'number' ? `${value}` : typeof value === 'string' ? value : ''

const isQuantity = (path: readonly PathPart[]): boolean =>
  path.at(-1) === 'averageValue' || path.at(-2) === 'requests' || path.at(-2) === 'limits'

/** Asking for nothing is met by nothing: the API server drops empty lists and maps, and the zero of an optional field. */
const isNothing = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.length === 0
  if (isFields(value)) return Object.values(value).every(isNothing)
  return value === null || value === '' || value === 0 || value === false
}
