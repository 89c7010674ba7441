import { createHash } from 'node:crypto'
import type { Clock } from '../../../kernel/index.ts'
import type { KubeObject } from '../../../kube/index.ts'
import type { Observed } from '../observed.ts'
import type { Deployment } from '../types.ts'

/** What the watches know of a namespace at one moment, as far as they have told. */
export interface WatchedVersions {
  /** Names the namespace, and whose it is. */
  readonly place: string
  /** The versions of the records that Helm keeps in it. */
  readonly records: readonly string[]
  /** By watched kind: the versions of its objects in the namespace. */
  readonly objects: ReadonlyMap<string, readonly string[]>
}

/** A version of an object. None ever comes back. */
export const versionOf = ({ metadata: { name, uid, resourceVersion } }: KubeObject): string =>
  `${name} ${uid} ${resourceVersion}`

/** What is known of the control plane without asking it. Kinds are texts: `apps/v1/Deployment`. */
export interface ReleaseWatch {
  /** `undefined`: the namespace is not known. */
  glimpse(namespace: string): WatchedVersions | undefined
  /** Has objects of these kinds watched from now on. */
  follow(kinds: readonly string[]): void
  /** Whether a change of the health of such an object wakes its deployment. */
  tellsHealthOf(kind: string): boolean
}

/** A release that was found as it should be. */
export interface VerifiedRelease {
  /** Of what was asked for. */
  readonly digest: string
  /** The kinds that the release consists of. */
  readonly kinds: readonly string[]
  /** Names every version of every object of these kinds, the same in every process that sees the same world. */
  readonly fingerprint: string
  readonly seen: Observed
  readonly at: number
}

/** Persistent store of verified releases. Every write carries the fence and changes nothing once the lease has passed on. */
export interface VerifiedReleaseStore {
  find(id: string): Promise<VerifiedRelease | undefined>
  keep(id: string, fence: number, look: VerifiedRelease): Promise<void>
  drop(id: string, fence: number): Promise<void>
  /** All kinds of the releases in this cluster (null: on the platform's own control plane). No cluster sees kinds of others. */
  kinds(clusterId: string | null): Promise<readonly string[]>
}

export interface VerifiedReleasesDeps {
  readonly releaseWatch: Pick<ReleaseWatch, 'glimpse' | 'follow'>
  readonly kept: VerifiedReleaseStore
  readonly clock: Clock
  /** Whatever else the judgement depends on: what was found by another judge is not believed. */
  readonly judge: string
}

/** What was seen, to be remembered. */
export interface Finding {
  readonly digest: string
  readonly before: WatchedVersions | undefined
  /** The name of Helm's record. */
  readonly record: string | undefined
  readonly objects: readonly { readonly kind: string; readonly live: KubeObject | undefined }[]
  readonly seen: Observed
}

/** Of most deployments that this process has run. Of one that was forgotten the store is asked again. */
const MOST_REMEMBERED = 10_000

/** Watches can fail unnoticed; after this long every release is observed again. */
const LONGEST_MS = 3_600_000

/**
 * Remembers releases that were found as they should be, so that the next pass over one in which nothing was touched asks
 * nobody, also when it is made by another worker. Only rows that say `ready` are answered from here: anything else is on
 * its way somewhere and is looked at.
 */
export class VerifiedReleases {
  readonly #deps: VerifiedReleasesDeps
  /** In order of last change. Absent: not asked for. `undefined`: there is nothing to believe, whatever is kept. */
  readonly #verified = new Map<string, VerifiedRelease | undefined>()

  constructor(deps: VerifiedReleasesDeps) {
    this.#deps = deps
  }

  async recall(row: Deployment, digest: string): Promise<Observed | undefined> {
    if (row.deletedAt !== null || row.status !== 'ready' || row.observedGeneration !== row.generation) return undefined
    const look = await this.#find(row.id)
    if (look === undefined || look.digest !== digest) return undefined
    if (this.#deps.clock.now() - look.at >= LONGEST_MS) return undefined
    return this.#fingerprint(this.before(row), look.kinds) === look.fingerprint ? look.seen : undefined
  }

  /** The store is asked once: from then on this process knows better, or has been told by the watches. */
  async #find(id: string): Promise<VerifiedRelease | undefined> {
    if (!this.#verified.has(id)) {
      const kept = await this.#deps.kept.find(id)
      // A concurrent call may have stored a newer result; keep that one.
      if (!this.#verified.has(id)) {
        this.#remember(id, kept)
        if (kept !== undefined) this.#deps.releaseWatch.follow(kept.kinds)
      }
    }
    return this.#verified.get(id)
  }

  /** To be taken before looking: what changes while we look must differ from it. */
  before(row: Deployment): WatchedVersions | undefined {
    return this.#deps.releaseWatch.glimpse(row.namespaceName)
  }

  async keep({ id }: Deployment, fence: number, finding: Finding): Promise<void> {
    const { digest, before, seen } = finding
    const kinds = [...new Set(finding.objects.map(({ kind }) => kind))]
    const fingerprint = isShown(before, finding) ? this.#fingerprint(before, kinds) : undefined
    const { edited, missing, unrepairable } = seen.drift
    const isFine = seen.health.is === 'ready' && [edited, missing, unrepairable].every((list) => list.length === 0)
    if (fingerprint !== undefined && isFine) {
      const look = { digest, kinds, fingerprint, seen, at: this.#deps.clock.now() }
      this.#remember(id, look)
      await this.#deps.kept.keep(id, fence, look)
    } else if (!this.#verified.has(id) || this.#verified.get(id) !== undefined) {
      await this.forget(id, fence)
    }
  }

  /**
   * We are about to change it. Until the watches have told so, what is kept would look true to whoever comes next, and
   * another worker may have kept something since we did.
   */
  async forget(id: string, fence: number): Promise<void> {
    this.#remember(id, undefined)
    await this.#deps.kept.drop(id, fence)
  }

  #remember(id: string, look: VerifiedRelease | undefined): void {
    this.#verified.delete(id)
    this.#verified.set(id, look)
    for (const oldest of this.#verified.keys()) {
      if (this.#verified.size <= MOST_REMEMBERED) break
      this.#verified.delete(oldest)
    }
  }

  /** `undefined`: not all of the kinds were watched. */
  #fingerprint(glimpse: WatchedVersions | undefined, kinds: readonly string[]): string | undefined {
    if (glimpse === undefined || !kinds.every((kind) => glimpse.objects.has(kind))) return undefined
    const objects = kinds.map((kind) => [kind, glimpse.objects.get(kind)])
    const text = JSON.stringify([this.#deps.judge, glimpse.place, glimpse.records, objects])
    return createHash('sha256').update(text).digest('base64')
  }
}

/**
 * The watches showed everything that was looked at, as it was looked at. What they had not heard of yet would be absent from
 * the fingerprint, and absence does come back: when it is deleted.
 */
const isShown = (before: WatchedVersions | undefined, { record, objects }: Finding): boolean =>
  before !== undefined &&
  before.records.some((version) => version.startsWith(`${record} `)) &&
  objects.every(({ kind, live }) => live !== undefined && before.objects.get(kind)?.includes(versionOf(live)))
