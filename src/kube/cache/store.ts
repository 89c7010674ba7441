import { Index, type IndexFn } from './indexes.ts'
import type { At, KubeObject } from '../objects.ts'

/** How a cache learned of a change. */
export type Via =
  /** The first list: the object existed before. */
  | 'firstList'
  | 'watch'
  /** A later list or the reading of one object: the watch had not delivered it. */
  | 'relist'
  /** We wrote it ourselves. */
  | 'write'

export type Change<K extends KubeObject> =
  | { readonly type: 'added'; readonly key: string; readonly new: K; readonly via: Via }
  | { readonly type: 'changed'; readonly key: string; readonly old: K; readonly new: K; readonly via: Via }
  | { readonly type: 'deleted'; readonly key: string; readonly old: K; readonly via: Via }

/** `namespace/name`, or `name` for a cluster-scoped object. It is also the id of the kernel key for that object. */
export const cacheKey = ({ namespace, name }: At): string => (namespace === undefined ? name : `${namespace}/${name}`)

/** The objects of a cache and their indexes. Reports each difference; a replaced uid is a deletion and an addition. */
export class ObjectStore<K extends KubeObject> {
  readonly #objects = new Map<string, K>()
  readonly #indexes = new Map<string, Index<K>>()
  readonly #onChange: (change: Change<K>) => void

  constructor(indexes: Readonly<Record<string, IndexFn<K>>>, onChange: (change: Change<K>) => void) {
    for (const [name, valuesOf] of Object.entries(indexes)) this.#indexes.set(name, new Index(valuesOf))
    this.#onChange = onChange
  }

  get size(): number {
    return this.#objects.size
  }

  get(key: string): K | undefined {
    return this.#objects.get(key)
  }

  keys(): Iterable<string> {
    return this.#objects.keys()
  }

  values(): Iterable<K> {
    return this.#objects.values()
  }

  byIndex(name: string, value: string): K[] {
    const index = this.#indexes.get(name)
    if (index === undefined)
      throw new Error(
        `failed to look up by ${name}: the cache has no such index, only ${[...this.#indexes.keys()].join(', ') || 'none'}`,
      )
    const found: K[] = []
    for (const key of index.keys(value)) {
      const object = this.#objects.get(key)
      if (object !== undefined) found.push(object)
    }
    return found
  }

  put(key: string, next: K, via: Via): void {
    const old = this.#objects.get(key)
    if (old !== undefined && old.metadata.uid !== next.metadata.uid) {
      this.remove(key, via)
      return this.put(key, next, via)
    }
    this.#objects.set(key, next)
    for (const index of this.#indexes.values()) index.replace(key, old, next)
    this.#onChange(
      old === undefined ? { type: 'added', key, new: next, via } : { type: 'changed', key, old, new: next, via },
    )
  }

  remove(key: string, via: Via): boolean {
    const old = this.#objects.get(key)
    if (old === undefined) return false
    this.#objects.delete(key)
    for (const index of this.#indexes.values()) index.replace(key, old, undefined)
    this.#onChange({ type: 'deleted', key, old, via })
    return true
  }
}
