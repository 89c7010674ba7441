import type { KubeObject } from '../objects.ts'

/** The index values of an object. */
export type IndexFn<K extends KubeObject> = (object: K) => readonly string[]

const NONE: readonly string[] = []

export const byNamespace: IndexFn<KubeObject> = ({ metadata }) =>
  metadata.namespace === undefined ? NONE : [metadata.namespace]

/** By the uid of each owner; the cache must keep `metadata.ownerReferences`. */
export const byOwner: IndexFn<KubeObject> = ({ metadata }) =>
  metadata.ownerReferences?.map((owner) => owner.uid) ?? NONE

/** The keys of the objects of each value. Most values have one object, so that a set is made only for the second. */
export class Index<K extends KubeObject> {
  readonly #valuesOf: IndexFn<K>
  readonly #keys = new Map<string, string | Set<string>>()

  constructor(valuesOf: IndexFn<K>) {
    this.#valuesOf = valuesOf
  }

  replace(key: string, old: K | undefined, next: K | undefined): void {
    const before = old === undefined ? NONE : this.#valuesOf(old)
    const after = next === undefined ? NONE : this.#valuesOf(next)
    for (const value of before) if (!after.includes(value)) this.#drop(value, key)
    for (const value of after) if (!before.includes(value)) this.#add(value, key)
  }

  keys(value: string): Iterable<string> {
    const found = this.#keys.get(value)
    if (found === undefined) return NONE
    return typeof found === 'string' ? [found] : found
  }

  #add(value: string, key: string): void {
    const found = this.#keys.get(value)
    if (found === undefined) this.#keys.set(value, key)
    else if (typeof found !== 'string') found.add(key)
    else if (found !== key) this.#keys.set(value, new Set([found, key]))
  }

  #drop(value: string, key: string): void {
    const found = this.#keys.get(value)
    if (found === key) this.#keys.delete(value)
    else if (found instanceof Set && found.delete(key) && found.size === 0) this.#keys.delete(value)
  }
}
