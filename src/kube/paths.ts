import type { At, Resource } from './objects.ts'

/** Where the objects of a resource are listed and created. */
export function collectionPath({ group, version, plural, namespaced }: Resource, namespace?: string): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  return namespaced && namespace !== undefined
    ? `${root}/namespaces/${encodeURIComponent(namespace)}/${plural}`
    : `${root}/${plural}`
}

/** Where one object, or a subresource of it, is found. */
export function objectPath(resource: Resource, { namespace, name }: At, subresource?: string): string {
  if (name === '') throw new Error(`failed to address a ${resource.kind}: the name is empty`)
  if (resource.namespaced && !namespace)
    throw new Error(`failed to address ${resource.kind} ${name}: it lives in a namespace, and none is given`)
  const path = `${collectionPath(resource, namespace)}/${encodeURIComponent(name)}`
  return subresource === undefined ? path : `${path}/${subresource}`
}
