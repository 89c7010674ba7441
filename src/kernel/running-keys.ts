import { sleep, type Clock } from './clock.ts'
import type { Held } from './lease-keeper.ts'
import type { Claim } from './queue/queue.ts'

interface Running extends Held {
  readonly done: Promise<void>
}

/** The runs under way, and how many of them each tenant has. */
export class RunningKeys<R extends Running> {
  readonly #runs = new Set<R>()
  readonly #byTenant = new Map<string, number>()

  get all(): ReadonlySet<R> {
    return this.#runs
  }

  get size(): number {
    return this.#runs.size
  }

  /** A copy. */
  countByTenant(): Map<string, number> {
    return new Map(this.#byTenant)
  }

  add(running: R): void {
    this.#runs.add(running)
    this.#count(running.claim.tenant, 1)
  }

  /** False: it was removed before. */
  remove(running: R): boolean {
    if (!this.#runs.delete(running)) return false
    this.#count(running.claim.tenant, -1)
    return true
  }

  /** Waits until all present runs have ended, at most `ms`, or until `cut` aborts. */
  async settleWithin(clock: Clock, ms: number, cut?: AbortSignal): Promise<void> {
    const enough = new AbortController()
    const all = Promise.all([...this.#runs].map(({ done }) => done))
    const limit = cut === undefined ? enough.signal : AbortSignal.any([enough.signal, cut])
    await Promise.race([all, sleep(clock, ms, limit).catch(() => {})])
    enough.abort()
  }

  #count(tenant: string | undefined, change: 1 | -1): void {
    if (tenant === undefined) return
    const count = (this.#byTenant.get(tenant) ?? 0) + change
    if (count === 0) this.#byTenant.delete(tenant)
    else this.#byTenant.set(tenant, count)
  }
}

/** `running`: the runs per tenant at the time of the claim, because the queue limited its answer by them. */
export function hasSpentAShare(
  running: ReadonlyMap<string, number>,
  claims: readonly Claim[],
  perTenant: number,
): boolean {
  const counts = new Map(running)
  for (const { tenant } of claims) if (tenant !== undefined) counts.set(tenant, (counts.get(tenant) ?? 0) + 1)
  return [...counts.values()].some((count) => count >= perTenant)
}
