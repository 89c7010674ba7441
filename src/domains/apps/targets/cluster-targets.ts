import { ClusterTarget, type ClusterTargetDeps, type Used } from './cluster-target.ts'

/** The clusters that this process is connected to, each opened when it is used first. */
export class ClusterTargets<T> {
  readonly #deps: ClusterTargetDeps<T>
  readonly #targets = new Map<string, ClusterTarget<T>>()
  #isOver = false

  constructor(deps: ClusterTargetDeps<T>) {
    this.#deps = deps
  }

  /** As `ClusterTarget` says. */
  async use(clusterId: string, patience: () => number, signal: AbortSignal): Promise<Used<T> | 'gone'> {
    return await this.open(clusterId).use(patience, signal)
  }

  /** Begins to connect to it, unless it is connected. */
  open(clusterId: string): ClusterTarget<T> {
    if (this.#isOver) throw new Error('the connections to clusters are closed')
    const target = this.#targets.get(clusterId) ?? new ClusterTarget(clusterId, this.#deps)
    this.#targets.set(clusterId, target)
    return target
  }

  /** Closes those that nobody uses and that are not to be kept. */
  async closeUnless(isKept: (clusterId: string, idleMs: number) => boolean): Promise<void> {
    const closing = [...this.#targets].filter(([id, { idleMs }]) => idleMs > 0 && !isKept(id, idleMs))
    for (const [id] of closing) this.#targets.delete(id)
    await Promise.all(closing.map(([, target]) => target.close()))
  }

  async close(): Promise<void> {
    this.#isOver = true
    await Promise.all([...this.#targets.values()].map((target) => target.close()))
    this.#targets.clear()
  }
}
