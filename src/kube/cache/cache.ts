import { createEmitter, type Service } from '../../kernel/index.ts'
import type { IndexFn } from './indexes.ts'
import { withoutManagedFields, type Keep } from './keep.ts'
import { isAbsenceCertain, judge, pinOf, Pins, type Pin } from './pins.ts'
import { cacheKey, ObjectStore, type Change, type Via } from './store.ts'
import type { Where } from '../client/client.ts'
import { type At, type KubeObject, type Resource } from '../objects.ts'
import { compareVersions, isNotNewer, isOlder } from '../watch/version.ts'
import { watch, type ListResult, type WatchDeps, type WatchSink, type WatchTimings } from '../watch/watch.ts'

export interface CacheSpec<T extends KubeObject, K extends KubeObject> {
  readonly resource: Resource<T>
  readonly where?: Where
  /** What is kept of each object, such as `keeping('spec.x', …)`. @default all but managedFields */
  readonly keep?: Keep<T, K>
  /** Indexes by name: `{ owner: byOwner, namespace: byNamespace }`. */
  readonly indexes?: Readonly<Record<string, IndexFn<K>>>
  /** Fetch metadata only; `T` then is `KubeObject`. */
  readonly metadataOnly?: boolean
  /** How long the watch may lag behind our own write before the object is read. @default 10_000 */
  readonly ownWritesMs?: number
  readonly timings?: Partial<WatchTimings>
}

/**
 * The objects of a resource as the server last sent them, or as we last wrote them, whichever is newer.
 *
 * - Reads are synchronous and cost no request. They lag as much as the watch does, except for our own writes: after
 *   `wrote`, no older version of that object is returned.
 * - Objects are shared between all readers. Never change one.
 * - `start` resolves when everything has been listed once.
 */
export interface Cache<K extends KubeObject, T extends KubeObject = K> extends Service {
  readonly resource: Resource<T>
  /** Resolves when everything has been listed once. */
  readonly synced: Promise<void>
  readonly size: number
  /** Whether its watch is connected: what is not there does not exist. False before the first list and after the end. */
  readonly isCurrent: boolean
  get(at: At): K | undefined
  list(namespace?: string): K[]
  byIndex(index: string, value: string): K[]
  /** Calls the listener once for each difference, in order. Returns a function that removes it. */
  onChange(listener: (change: Change<K>) => void): () => void
  /** What the server answered to a write of ours. */
  wrote(object: T): void
  /** The server confirmed that the object is gone, or that `remaining` still waits for its finalizers or grace period. */
  deleted(at: At, uid: string, remaining?: T): void
}

const OWN_WRITES_MS = 10_000

export function cache<T extends KubeObject, K extends KubeObject = T>(
  deps: WatchDeps,
  spec: CacheSpec<T, K>,
): Cache<K, T> {
  const { source, clock, emitter } = deps
  const { resource, where = {}, metadataOnly = false } = spec
  const keep = spec.keep ?? (withoutManagedFields as unknown as Keep<T, K>)
  const synced = Promise.withResolvers<void>()
  const changes = createEmitter<{ change: Change<K> }>((error) => {
    emitter.emit('watch:error', { resource: resource.plural, error, failures: 0, retryInMs: 0 })
  })
  const store = new ObjectStore<K>(spec.indexes ?? {}, (change) => changes.emit('change', change))
  const pins = new Pins(clock, spec.ownWritesMs ?? OWN_WRITES_MS, (key, pin) => void resolveOverdue(key, pin))

  let isSynced = false
  /** The keys that the running list has named so far. */
  let named = new Set<string>()
  let reached: string | undefined
  let differences = { missed: 0, overdue: 0 }

  /** Returns whether the cache changed. */
  function accept(key: string, object: T, via: Via): boolean {
    const { uid, resourceVersion } = object.metadata
    const pin = pins.get(key)
    if (pin !== undefined) {
      if (judge(pin, object.metadata) === 'older') return false
      pins.delete(key)
    }
    const known = store.get(key)?.metadata
    if (known !== undefined && known.resourceVersion === resourceVersion && known.uid === uid) return false
    store.put(key, keep(object), via)
    return true
  }

  function retire(key: string, { metadata }: T): void {
    const pin = pins.get(key)
    if (pin !== undefined) {
      if (pin.wrote === 'deletion' ? metadata.uid !== pin.uid : judge(pin, metadata) === 'older') return
      pins.delete(key)
    }
    const known = store.get(key)?.metadata
    if (known === undefined || known.uid !== metadata.uid) return
    // The object has entered the selection again since; this is a repeated event.
    if (isOlder(metadata.resourceVersion, known.resourceVersion)) return
    store.remove(key, 'watch')
  }

  const sink: WatchSink<T> = {
    begin(watchReached) {
      named = new Set()
      reached = watchReached
      differences = { missed: 0, overdue: 0 }
    },
    listed(objects) {
      for (const object of objects) {
        const key = cacheKey(object.metadata)
        named.add(key)
        if (!accept(key, object, isSynced ? 'relist' : 'firstList')) continue
        differences.missed++
        if (isNotNewer(object.metadata.resourceVersion, reached)) differences.overdue++
      }
    },
    unlisted(object) {
      const key = cacheKey(object.metadata)
      named.delete(key)
      retire(key, object)
    },
    complete(version): ListResult {
      for (const [key, pin] of pins.entries()) if (!named.has(key) && isAbsenceCertain(pin, version)) pins.delete(key)
      for (const key of store.keys()) {
        if (named.has(key) || pins.get(key) !== undefined) continue
        store.remove(key, isSynced ? 'relist' : 'firstList')
        differences.missed++
        differences.overdue++
      }
      named = new Set()
      isSynced = true
      synced.resolve()
      return { objects: store.size, ...differences }
    },
    put(object) {
      accept(cacheKey(object.metadata), object, 'watch')
    },
    remove(object) {
      retire(cacheKey(object.metadata), object)
    },
  }

  const running = watch(deps, {
    resource,
    where,
    metadataOnly,
    sink,
    ...(spec.timings !== undefined && { timings: spec.timings }),
  })

  /** The watch did not deliver our own write in time: reads that object, and lists all if the watch still lags. */
  async function resolveOverdue(key: string, pin: Pin): Promise<void> {
    pins.set(key, pin)
    const asked = pins.get(key)
    if (pin.checked && pin.wrote === 'object') return running.relist('behind')
    if (pin.checked) {
      // Older events of a deleted object are held back until the watch has passed its deletion.
      if (!isOlder(running.version(), pin.version)) pins.delete(key)
      return
    }
    try {
      const found = await readBack(key)
      // The watch has caught up, or a later write of ours is newer than the answer.
      if (pins.get(key) !== asked) return
      emitter.emit('watch:behind', { resource: resource.plural, foundBy: 'read', missed: 1, overdue: 0 })
      settle(key, found.object, found.version)
    } catch (error) {
      const retryInMs = spec.ownWritesMs ?? OWN_WRITES_MS
      emitter.emit('watch:error', { resource: resource.plural, error, failures: 1, retryInMs })
    }
  }

  /** Takes the state that was read, and pins it until the watch has caught up. */
  function settle(key: string, found: T | undefined, version: string): void {
    pins.delete(key)
    if (found === undefined) {
      store.remove(key, 'relist')
      return pins.set(key, { wrote: 'absence', uid: undefined, version, checked: true })
    }
    accept(key, found, 'relist')
    if (compareVersions(found.metadata.resourceVersion, running.version()) !== undefined)
      pins.set(key, pinOf('object', found.metadata, true))
  }

  async function readBack(key: string): Promise<{ readonly object: T | undefined; readonly version: string }> {
    const slash = key.indexOf('/')
    const byName = `metadata.name=${key.slice(slash + 1)}`
    const page = await source.listPage(resource, {
      ...where,
      ...(slash >= 0 && { namespace: key.slice(0, slash) }),
      fields: where.fields === undefined ? byName : `${where.fields},${byName}`,
      limit: 1,
      metadataOnly,
    })
    return { object: page.items[0], version: page.resourceVersion }
  }

  function wrote(object: T): void {
    const { uid, resourceVersion: version, namespace } = object.metadata
    const key = cacheKey(object.metadata)
    if (version === undefined)
      throw new Error(
        `failed to remember the write of ${resource.kind} ${key}: it has no resourceVersion; pass what the server answered`,
      )
    if (where.namespace !== undefined && where.namespace !== namespace) return
    if (isNotNewer(version, running.version())) return
    const pin = pins.get(key)
    if (pin?.wrote === 'deletion' && pin.uid === uid) return
    if (pin?.wrote === 'absence' && isNotNewer(version, pin.version)) return
    if (isNotNewer(version, store.get(key)?.metadata.resourceVersion)) return
    store.put(key, keep(object), 'write')
    pins.set(key, pinOf('object', object.metadata))
  }

  return {
    name: `cache of ${resource.plural}`,
    resource,
    synced: synced.promise,
    get size() {
      return store.size
    },
    get isCurrent() {
      return running.isCurrent
    },
    start: () => running.start(),
    async stop() {
      pins.stop()
      await running.stop()
    },
    done: running.done,
    get: (place) => store.get(cacheKey(place)),
    list(namespace) {
      if (namespace === undefined) return [...store.values()]
      return Array.from(store.values()).filter(({ metadata }) => metadata.namespace === namespace)
    },
    byIndex: (index, value) => store.byIndex(index, value),
    onChange: (listener) => changes.on('change', listener),

    wrote,

    deleted(place, uid, remaining) {
      if (remaining !== undefined) return wrote(remaining)
      const key = cacheKey(place)
      const known = store.get(key)?.metadata
      if (known === undefined || known.uid !== uid) return
      pins.set(key, pinOf('deletion', known))
      store.remove(key, 'write')
    },
  }
}
