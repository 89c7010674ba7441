import { isObject, type Json, objectAt, textAt } from './json.ts'
import { type KindInfo, typeKey } from './registry.ts'

/** One change, as a watch sees it. `before` is absent for a creation, `after` for a deletion. */
export interface Change {
  readonly version: number
  readonly type: string
  readonly before: Json | undefined
  readonly after: Json | undefined
}

export interface Place {
  readonly namespace: string
  readonly name: string
}

const keyOf = ({ namespace, name }: Place): string => `${namespace}/${name}`

export const placeOf = (object: Json): Place => {
  const metadata = objectAt(object, 'metadata')
  return { namespace: textAt(metadata, 'namespace'), name: textAt(metadata, 'name') }
}

/**
 * The objects and the history of their changes. One version counts all writes, as in etcd.
 *
 * Stored objects are never changed in place, so that lists and events may share them.
 */
export class Storage {
  readonly #objects = new Map<string, Map<string, Json>>()
  readonly #listeners = new Set<(change: Change) => void>()
  /** The version of the latest write to each type. */
  readonly #versions = new Map<string, number>()
  #history: Change[] = []
  #version = 0
  #oldest = 0

  /** The version of the latest write. */
  get version(): number {
    return this.#version
  }

  /** The version of the latest write to anything but a type. */
  versionExcept(type: string): number {
    let latest = 0
    for (const [written, version] of this.#versions) if (written !== type) latest = Math.max(latest, version)
    return latest
  }

  /** Watches and pages from before this version have expired. */
  get oldest(): number {
    return this.#oldest
  }

  get(kind: KindInfo, place: Place): Json | undefined {
    return this.#objects.get(typeKey(kind))?.get(keyOf(place))
  }

  /** In the order of namespace and name, which is the order of the keys in etcd. */
  list(kind: KindInfo, namespace?: string): Json[] {
    const entries = [...(this.#objects.get(typeKey(kind)) ?? [])]
    return entries
      .filter(([key]) => namespace === undefined || key.startsWith(`${namespace}/`))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, object]) => object)
  }

  /** All objects with their storage type. */
  *all(): Iterable<readonly [type: string, object: Json]> {
    for (const [type, objects] of this.#objects) for (const object of objects.values()) yield [type, object]
  }

  ofType(type: string): Json[] {
    return [...(this.#objects.get(type)?.values() ?? [])]
  }

  put(kind: KindInfo, object: Json): Json {
    const version = ++this.#version
    const stored = stamped(object, version)
    const type = typeKey(kind)
    const objects = this.#objects.get(type) ?? new Map<string, Json>()
    this.#objects.set(type, objects)
    const key = keyOf(placeOf(stored))
    this.#record({ version, type, before: objects.get(key), after: stored })
    objects.set(key, stored)
    return stored
  }

  /** Returns the last state of the object with the version of its removal. */
  remove(kind: KindInfo, object: Json): Json {
    const version = ++this.#version
    const type = typeKey(kind)
    const last = stamped(object, version)
    this.#objects.get(type)?.delete(keyOf(placeOf(object)))
    this.#record({ version, type, before: last, after: undefined })
    return last
  }

  #record(change: Change): void {
    this.#versions.set(change.type, change.version)
    this.#history.push(change)
    for (const listener of this.#listeners) listener(change)
  }

  /** The changes of a type after a version; `undefined` if that part of the history is compacted. */
  since(type: string, version: number): Change[] | undefined {
    if (version < this.#oldest) return undefined
    return this.#history.filter((change) => change.version > version && change.type === type)
  }

  onChange(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Drops the history, as a compaction of etcd does. */
  compact(): void {
    this.#oldest = this.#version
    this.#history = []
  }
}

const stamped = (object: Json, version: number): Json => ({
  ...object,
  metadata: { ...(isObject(object['metadata']) ? object['metadata'] : {}), resourceVersion: String(version) },
})
