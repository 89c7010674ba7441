import type { At, Cache, KubeObject } from '../../../kube/index.ts'

/**
 * Several caches of one resource, one for each namespace, as if they were one. Each has a watch of its own: with rights in some
 * namespaces alone, a watch of all of them would be refused.
 */
export function joined<K extends KubeObject, T extends KubeObject = K>(
  caches: ReadonlyMap<string, Cache<K, T>>,
): Cache<K, T> {
  const all = [...caches.values()]
  const [first] = all
  if (first === undefined) throw new Error('expected a cache to join')
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
