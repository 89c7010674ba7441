import type { KubeObject } from '../../../kube/index.ts'
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../values/json.ts'

/*
 * A release consists of what is in its namespace. What its chart has of the whole cluster besides, an admin may grant to the
 * template: object by object, exactly as the admin has seen it. A tenant's values cannot change what was granted.
 */

/** In the place of the name of the release, which is also the name of its namespace. */
export const RELEASE = '{release}'

/** A cluster-scoped object that every release of a template may have. */
export interface Grant {
  readonly id: string
  readonly group: string
  readonly kind: string
  /** With `RELEASE` in it. */
  readonly name: string
  /** The object as it was reviewed, with `RELEASE` in it; several where its name depends on whether the release is named after the chart. */
  readonly objects: readonly JsonObject[]
  readonly grantedAt: number
  readonly revokedAt: number | null
}

/** What a grant allows one release. */
export interface GrantedObject {
  readonly group: string
  readonly kind: string
  readonly name: string
  /** The object must be exactly so. */
  readonly content: JsonObject
  readonly isRevoked: boolean
}

/** Kinds of the whole cluster that can be granted, and their names in paths. What others do is not told by their content. */
export const GRANTABLE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'rbac.authorization.k8s.io': { ClusterRole: 'clusterroles', ClusterRoleBinding: 'clusterrolebindings' },
  'networking.k8s.io': { IngressClass: 'ingressclasses' },
  'scheduling.k8s.io': { PriorityClass: 'priorityclasses' },
  'storage.k8s.io': { StorageClass: 'storageclasses' },
}

export const groupOf = ({ apiVersion }: { readonly apiVersion: string }): string =>
  apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''

export const pluralOf = ({ group, kind }: { readonly group: string; readonly kind: string }): string | undefined =>
  GRANTABLE[group]?.[kind]

export const grantsFor = (grants: readonly Grant[], release: string): readonly GrantedObject[] =>
  grants.flatMap(({ group, kind, objects, revokedAt }) =>
    objects.map((object) => {
      const content = replaced(object, RELEASE, release) as JsonObject
      return { group, kind, name: nameIn(content), content, isRevoked: revokedAt !== null }
    }),
  )

export const nameIn = ({ metadata }: JsonObject): string =>
  isJsonObject(metadata) && typeof metadata['name'] === 'string' ? metadata['name'] : ''

/** In keys and texts, at any depth. */
export function replaced(value: Json, what: string, by: string): Json {
  if (typeof value === 'string') return value.replaceAll(what, by)
  if (isJsonArray(value)) return value.map((item) => replaced(item, what, by))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key.replaceAll(what, by), replaced(inner, what, by)]),
  )
}

/** What a chart wrote of an object: without what Helm adds, and without a namespace, which it cannot have. */
export function contentOf(object: KubeObject): JsonObject {
  const { metadata, status: _status, ...rest } = object as unknown as JsonObject & { metadata: JsonObject }
  const { namespace: _namespace, labels, annotations, ...identity } = metadata
  const kept = {
    labels: without(labels, 'app.kubernetes.io/managed-by'),
    annotations: without(annotations, 'meta.helm.sh/release-name', 'meta.helm.sh/release-namespace'),
  }
  const named = Object.entries(kept).filter(([, entries]) => Object.keys(entries).length > 0)
  return { ...rest, metadata: { ...identity, ...Object.fromEntries(named) } }
}

const without = (entries: Json | undefined, ...keys: readonly string[]): JsonObject =>
  isJsonObject(entries ?? null)
    ? Object.fromEntries(Object.entries(entries as JsonObject).filter(([key]) => !keys.includes(key)))
    : {}
