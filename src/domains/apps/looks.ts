import type { Clock } from '../../kernel/index.ts'
import type { Observed } from './observed.ts'
import type { Deployment } from './types.ts'

/** What is known of the cluster without asking it. */
export interface Surroundings {
  /**
   * Names every version of every object of a release in the namespace. Two equal ones mean that nothing was changed in
   * between, as far as the watches have told. `undefined`: not everything there is watched.
   */
  fingerprint(namespace: string): string | undefined
  /** Has objects like these watched from now on. */
  follow(namespace: string, objects: readonly { readonly apiVersion: string; readonly kind: string }[]): void
}

/** Watches can go wrong in ways that nobody notices; after this long everything is looked at again. */
const LONGEST_MS = 3_600_000

interface Look {
  readonly fingerprint: string
  readonly at: number
  readonly digest: string
  readonly seen: Observed
}

/**
 * Remembers releases that were found as they should be, so that the next pass over one in which nothing was touched asks
 * nobody. Only rows that say `ready` are answered from here: anything else is on its way somewhere and is looked at.
 */
export class Looks {
  readonly #looks = new Map<string, Look>()
  readonly #surroundings: Surroundings
  readonly #clock: Clock

  constructor(surroundings: Surroundings, clock: Clock) {
    this.#surroundings = surroundings
    this.#clock = clock
  }

  recall(row: Deployment, digest: string): Observed | undefined {
    const look = this.#looks.get(row.id)
    if (look === undefined || look.digest !== digest) return undefined
    if (row.deletedAt !== null || row.status !== 'ready' || row.observedGeneration !== row.generation) return undefined
    if (this.#clock.now() - look.at >= LONGEST_MS) return undefined
    return this.#surroundings.fingerprint(row.namespaceName) === look.fingerprint ? look.seen : undefined
  }

  /** To be taken before looking: what changes while we look must differ from it. */
  before(row: Deployment): string | undefined {
    return this.#surroundings.fingerprint(row.namespaceName)
  }

  keep(row: Deployment, digest: string, fingerprint: string | undefined, seen: Observed): void {
    const isFine = seen.health.is === 'ready' && seen.drift.edited.length === 0 && seen.drift.missing.length === 0
    if (fingerprint === undefined || !isFine) this.#looks.delete(row.id)
    else this.#looks.set(row.id, { fingerprint, at: this.#clock.now(), digest, seen })
  }

  /** We are about to change it. */
  forget(id: string): void {
    this.#looks.delete(id)
  }
}
