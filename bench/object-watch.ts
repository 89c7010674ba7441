import { setTimeout as delay } from 'node:timers/promises'
import type { Client, KubeObject, Resource } from '../src/kube/index.ts'

/** Follows all objects of a kind in a namespace, and knows when each was last heard of. */
export class ObjectWatch<T extends KubeObject> {
  readonly current = new Map<string, T>()
  /** `performance.now()` of the last event about each. */
  readonly heardAt = new Map<string, number>()
  events = 0
  readonly #abort = new AbortController()
  #changed: PromiseWithResolvers<void> = Promise.withResolvers()

  constructor(client: Client, resource: Resource<T>, namespace: string) {
    void this.#follow(client, resource, namespace)
  }

  async #follow(client: Client, resource: Resource<T>, namespace: string): Promise<void> {
    const options = { namespace, sendInitialEvents: true }
    try {
      for await (const { type, object } of client.watchEvents(resource, options, this.#abort.signal)) {
        if (type === 'BOOKMARK' || type === 'ERROR') continue
        this.events += 1
        const { name } = object.metadata
        if (type === 'DELETED') this.current.delete(name)
        else this.current.set(name, object)
        this.heardAt.set(name, performance.now())
        this.#changed.resolve()
        this.#changed = Promise.withResolvers()
      }
    } catch (error) {
      if (!this.#abort.signal.aborted) throw error
    }
  }

  async until(what: string, done: () => boolean, timeoutMs = 600_000): Promise<void> {
    const deadline = performance.now() + timeoutMs
    while (!done()) {
      if (performance.now() > deadline) throw new Error(`${what}: not within ${timeoutMs} ms`)
      await Promise.race([this.#changed.promise, delay(1_000)])
    }
  }

  /** When each first was as asked for, once all `n` are. */
  async allBecome(what: string, n: number, isSo: (object: T) => boolean): Promise<Map<string, number>> {
    const at = new Map<string, number>()
    await this.until(what, () => {
      for (const [name, object] of this.current) {
        if (!at.has(name) && isSo(object)) at.set(name, this.heardAt.get(name) ?? performance.now())
      }
      return at.size === n
    })
    return at
  }

  /** Until nothing has changed for half a second. */
  async settle(): Promise<void> {
    for (let last = -1; last !== this.events; await delay(500)) last = this.events
  }

  stop(): void {
    this.#abort.abort()
  }
}
