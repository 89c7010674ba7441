import { sameValue } from '../../kernel/index.ts'
import { sameQuantity, type KubeObject } from '../../kube/index.ts'
import type { ObservedChild, RenderedChild } from './types.ts'

export interface FieldChange {
  /** `spec.template.spec.containers[app].image`. */
  readonly field: string
  readonly from: unknown
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
export function differs(wanted: RenderedChild['object'], live: KubeObject): FieldChange[] {
  const { apiVersion: _version, kind: _kind, metadata, ...rest } = wanted as RenderedChild['object'] & Fields
  const { name: _name, namespace: _namespace, ...ours } = metadata
  return inFields({ metadata: ours, ...rest }, live, '')
}

/** Names one state of a live child, as `Observed.mutated` has it. */
export const stateName = ({ kind, name, uid, object }: ObservedChild): string =>
  [kind, name, uid, object.metadata.generation ?? 0].join('/')

function inFields(wanted: object, live: unknown, path: string): FieldChange[] {
  const there = isFields(live) ? live : {}
  return Object.entries(wanted).flatMap(([name, value]) => inValue(value, there[name], pathTo(path, name)))
}

function inValue(wanted: unknown, live: unknown, path: string): FieldChange[] {
  if (wanted === undefined || sameValue(wanted, live)) return []
  if (Array.isArray(wanted) && Array.isArray(live)) return inList(wanted, live, path)
  if (isFields(wanted) && isFields(live)) return inFields(wanted, live, path)
  return saysTheSame(wanted, live, path) ? [] : [{ field: path, from: live, to: wanted }]
}

function inList(wanted: readonly unknown[], live: readonly unknown[], path: string): FieldChange[] {
  if (wanted.length > 0 && wanted.every(isNamed)) {
    return wanted.flatMap((item) => {
      const there = live.find((one) => isNamed(one) && one.name === item.name)
      return inValue(item, there, `${path}[${item.name}]`)
    })
  }
  if (wanted.length !== live.length) return [{ field: path, from: live, to: wanted }]
  return wanted.flatMap((item, index) => inValue(item, live[index], `${path}[${index}]`))
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isNamed = (value: unknown): value is Fields & { readonly name: string } =>
  isFields(value) && typeof value['name'] === 'string'

/** A key with dots in it is quoted, or nobody could tell it from a path. */
const pathTo = (path: string, name: string): string => {
  if (name.includes('.')) return `${path}["${name}"]`
  return path === '' ? name : `${path}.${name}`
}

const QUANTITY = /\.(?:requests|limits)(?:\.|\[)[^.]+$|\.averageValue$/

function saysTheSame(wanted: unknown, live: unknown, path: string): boolean {
  if (live === undefined || live === null) return isNothing(wanted)
  return QUANTITY.test(path) && sameQuantity(String(wanted), String(live))
}

/** Asking for nothing is met by nothing: the API server drops empty lists and maps, and the zero of an optional field. */
const isNothing = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.length === 0
  if (isFields(value)) return Object.values(value).every(isNothing)
  return value === null || value === '' || value === 0 || value === false
}
