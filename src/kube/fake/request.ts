import type { KubeRequest } from '../transport/transport.ts'
import { isObject, type Json } from './json.ts'
import type { User } from './rbac.ts'
import type { KindInfo, Registry } from './registry.ts'

/** The target of a path. A namespace is a cluster-scoped object, so that `namespaces/x` names one. */
export interface Target {
  readonly kind: KindInfo
  /** Absent: all namespaces, or none. */
  readonly namespace: string | undefined
  readonly name: string
  readonly subresource: string
}

const PATH = /^\/(?:api|apis\/([^/]+))\/([^/]+)(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+)(?:\/(.+))?)?$/

export function targetOf(path: string, registry: Registry): Target | undefined {
  const inNamespace = PATH.exec(path)
  if (inNamespace === null) return undefined
  const [, group = '', version = '', namespace, plural = '', name, subresource] = inNamespace.map((part) =>
    part === undefined ? undefined : decodeURIComponent(part),
  )
  const kind = registry.find(group, version, plural)
  if (kind !== undefined && (namespace === undefined || kind.namespaced)) {
    return { kind, namespace, name: name ?? '', subresource: subresource ?? '' }
  }
  // `/api/v1/namespaces/x` and `/api/v1/namespaces/x/status` name the namespace, not something inside it.
  const namespaces = namespace === undefined ? undefined : registry.find(group, version, 'namespaces')
  if (namespaces === undefined || name !== undefined) return undefined
  return { kind: namespaces, namespace: undefined, name: namespace ?? '', subresource: plural }
}

export interface Options {
  readonly fieldManager: string
  readonly dryRun: boolean
  readonly force: boolean
}

export const optionsOf = ({ query = {} }: KubeRequest): Options => ({
  fieldManager: String(query['fieldManager'] ?? ''),
  dryRun: query['dryRun'] === 'All',
  force: String(query['force'] ?? '') === 'true',
})

export const queryText = ({ query = {} }: KubeRequest, name: string): string => String(query[name] ?? '')

export const bodyOf = ({ body }: KubeRequest): Json => (isObject(body) ? body : {})

/** The caller, or the impersonated user. */
export function userOf({ headers }: KubeRequest, caller: User): User {
  if (headers === undefined) return caller
  const given = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  const name = given.get('impersonate-user')
  if (name === undefined) return caller
  const listed = (values: string | readonly string[] = []) => (typeof values === 'string' ? [values] : values)
  const extra = [...given].flatMap(([header, values]) => {
    const [, key] = /^impersonate-extra-(.+)$/.exec(header) ?? []
    return key === undefined ? [] : [[decodeURIComponent(key), listed(values)]]
  })
  return {
    name: String(name),
    groups: ['system:authenticated', ...listed(given.get('impersonate-group'))],
    extra: Object.fromEntries(extra),
  }
}

const VERBS = { POST: 'create', PUT: 'update', PATCH: 'patch' } as const

export function verbOf(request: KubeRequest, target: Target): string {
  if (request.method === 'GET') {
    if (queryText(request, 'watch') === 'true' || queryText(request, 'watch') === '1') return 'watch'
    return target.name === '' ? 'list' : 'get'
  }
  if (request.method === 'DELETE') return target.name === '' ? 'deletecollection' : 'delete'
  return VERBS[request.method]
}
