import type { Clock } from '../../kernel/index.ts'
import type { Observed } from './observed.ts'
import type { Deployment } from './types.ts'

/** What the watches know of a namespace at one moment. */
export interface Glimpse {
  /**
   * Names every version of every object of the watched kinds. Two equal ones mean that nothing was changed in between,
   * as far as the watches have told.
   */
  readonly fingerprint: string
  /** The kinds that were watched. */
  readonly kinds: readonly string[]
}

/** What is known of the cluster without asking it. */
export interface Surroundings {
  /** `undefined`: the namespace is not known. */
  glimpse(namespace: string): Glimpse | undefined
  /** Every kind of the release in the namespace, as far as it was followed, was watched then. */
  isWhole(namespace: string, glimpse: Glimpse): boolean
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
    return this.#whole(row, this.before(row))?.fingerprint === look.fingerprint ? look.seen : undefined
  }

  /** To be taken before looking: what changes while we look must differ from it. */
  before(row: Deployment): Glimpse | undefined {
    return this.#surroundings.glimpse(row.namespaceName)
  }

  /** By now the release has been followed, so that it is known what `before` should have held. */
  keep(row: Deployment, digest: string, before: Glimpse | undefined, seen: Observed): void {
    const fingerprint = this.#whole(row, before)?.fingerprint
    const isFine = seen.health.is === 'ready' && seen.drift.edited.length === 0 && seen.drift.missing.length === 0
    if (fingerprint === undefined || !isFine) this.#looks.delete(row.id)
    else this.#looks.set(row.id, { fingerprint, at: this.#clock.now(), digest, seen })
  }

  #whole({ namespaceName }: Deployment, glimpse: Glimpse | undefined): Glimpse | undefined {
    return glimpse !== undefined && this.#surroundings.isWhole(namespaceName, glimpse) ? glimpse : undefined
  }

  /** We are about to change it. */
  forget(id: string): void {
    this.#looks.delete(id)
  }
}
