import type { KubeObject } from '../../../kube/index.ts'
import { ENFORCER } from '../types.ts'

type Fields = Readonly<Record<string, unknown>>

/** Whether `fields` of server-side apply name this path: `['spec', 'replicas']`. A list item is written `{"name":"x"}`. */
const names = (fields: unknown, path: readonly string[]): boolean => {
  let at = fields
  for (const step of path) {
    if (typeof at !== 'object' || at === null) return false
    at = (at as Fields)[step.startsWith('{') ? `k:${step}` : `f:${step}`]
  }
  return at !== undefined
}

/** The enforcer applied this field, and nobody has changed it since. */
export const isEnforcers = ({ metadata }: KubeObject, path: readonly string[]): boolean =>
  (metadata.managedFields ?? []).some(
    ({ manager, operation, subresource, fieldsV1 }) =>
      manager === ENFORCER && operation === 'Apply' && (subresource ?? '') === '' && names(fieldsV1, path),
  )

/** The server merges this list by name, instead of taking it as one value that whoever writes it owns whole. */
export const isKnownByName = ({ metadata }: KubeObject, path: readonly string[]): boolean =>
  (metadata.managedFields ?? []).some(({ fieldsV1 }) => names(fieldsV1, path))
