import type { At, KubeObject } from '../objects.ts'
import type { WatchDeps } from '../watch/watch.ts'
import { cache, type Cache, type CacheSpec } from './cache.ts'

/** Absent: all namespaces. */
export interface NamespaceScope {
  readonly namespaces?: readonly string[]
}

/**
 * A cache of some namespaces, each with its own watch: without rights in all namespaces, the API server refuses a
 * watch of all of them.
 */
export function cacheIn<T extends KubeObject>(
  watching: WatchDeps,
  { namespaces }: NamespaceScope,
  { where, ...spec }: CacheSpec<T, T>,
): Cache<T> {
  if (namespaces === undefined) return cache(watching, { ...spec, ...(where && { where }) })
  return joinedCaches(
    new Map(
      namespaces.map((namespace) => [namespace, cache<T>(watching, { ...spec, where: { ...where, namespace } })]),
    ),
  )
}

/** Caches of one resource, one per namespace, as one cache. */
function joinedCaches<K extends KubeObject, T extends KubeObject = K>(
  caches: ReadonlyMap<string, Cache<K, T>>,
): Cache<K, T> {
  const all = [...caches.values()]
  const [first] = all
  if (first === undefined) throw new Error('failed to join caches: there is none')
  const of = ({ namespace = '' }: Pick<At, 'namespace'>): Cache<K, T> | undefined => caches.get(namespace)
  const done = every(all.map((one) => one.done))
  done.catch(() => {})
  return {
    name: first.name,
    resource: first.resource,
    synced: every(all.map(({ synced }) => synced)),
    get size() {
      return all.reduce((sum, { size }) => sum + size, 0)
    },
    get isCurrent() {
      return all.every(({ isCurrent }) => isCurrent)
    },
    start: () => every(all.map((one) => one.start())),
    stop: () => every(all.map((one) => one.stop())),
    done,
    get: (at) => of(at)?.get(at),
    list: (namespace) =>
      namespace === undefined ? all.flatMap((one) => one.list()) : (of({ namespace })?.list() ?? []),
    byIndex: (index, value) => all.flatMap((one) => one.byIndex(index, value)),
    onChange(listener) {
      const stops = all.map((one) => one.onChange(listener))
      return () => stops.forEach((stop) => stop())
    },
    wrote: (object) => of(object.metadata)?.wrote(object),
    deleted: (at, uid, remaining) => of(at)?.deleted(at, uid, remaining),
  }
}

async function every(all: readonly Promise<void>[]): Promise<void> {
  await Promise.all(all)
}
