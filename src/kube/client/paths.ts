import type { At, Resource } from '../objects.ts'

/** The path under which objects of a resource are listed and created. */
export function collectionPath({ group, version, plural, namespaced }: Resource, namespace?: string): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  return namespaced && namespace !== undefined
    ? `${root}/namespaces/${encodeURIComponent(namespace)}/${plural}`
    : `${root}/${plural}`
}

/** The path of one object or of a subresource of it. */
export function objectPath(resource: Resource, { namespace, name }: At, subresource?: string): string {
  if (name === '') throw new Error(`failed to address a ${resource.kind}: the name is empty`)
  if (resource.namespaced && !namespace)
    throw new Error(`failed to address ${resource.kind} ${name}: it is namespaced, and no namespace is given`)
  const path = `${collectionPath(resource, namespace)}/${encodeURIComponent(name)}`
  return subresource === undefined ? path : `${path}/${subresource}`
}

/** The resource that a path names, for metrics and messages; `undefined` for `/version` or `/healthz`. */
export interface PathParts {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly namespace: string | undefined
  readonly name: string | undefined
  readonly subresource: string | undefined
}

export function partsOf(path: string): PathParts | undefined {
  const [root, ...rest] = path.slice(1).split('/').map(decodeURIComponent)
  const [group, version] = root === 'api' ? ['', rest.shift()] : root === 'apis' ? [rest.shift(), rest.shift()] : []
  // `namespaces/x` is the namespace itself, `namespaces/x/pods` the pods in it.
  const own = ['status', 'finalize']
  const namespace =
    rest[0] === 'namespaces' && rest.length > 2 && !own.includes(rest[2] ?? '') ? rest.splice(0, 2)[1] : undefined
  const [plural, name, subresource] = rest
  if (group === undefined || version === undefined || plural === undefined) return undefined
  return { group, version, plural, namespace, name, subresource }
}
