import type { Clock } from '../../../../kernel/index.ts'
import { Secret, type Client } from '../../../../kube/index.ts'
import type { PendingKind } from '../../observed.ts'
import type { ReleaseTarget, Rollout } from '../port.ts'
import { decodeRelease, digestLabels, recordsOf, releaseSecret, revisionOf, type StoredRelease } from '../storage.ts'

/** A record with the labels it carries. */
export interface Revision extends StoredRelease {
  readonly labels: Readonly<Record<string, string>>
}

type Status = 'deployed' | 'failed' | 'superseded' | 'uninstalling'

/** The records of one release, written as Helm writes them. */
export class History {
  readonly #client: Client
  readonly #target: ReleaseTarget
  readonly #clock: Clock

  constructor(client: Client, target: ReleaseTarget, clock: Clock) {
    this.#client = client
    this.#target = target
    this.#clock = clock
  }

  /** `standing` is what an upgrade starts from: the deployed revision, or the newest when none is. */
  async read(): Promise<{
    readonly newest: Revision | undefined
    readonly standing: Revision | undefined
    readonly all: readonly Revision[]
  }> {
    const all = await Promise.all(
      (await this.#secrets()).map(async (secret): Promise<Revision> => ({
        ...(await decodeRelease(secret)),
        labels: custom(secret.metadata.labels ?? {}),
      })),
    )
    const newest = all.at(-1)
    return { newest, standing: all.findLast(({ info }) => info.status === 'deployed') ?? newest, all }
  }

  begin(version: number, kind: PendingKind, manifest: string, { digest, chart, values }: Rollout): Promise<Revision> {
    return this.#create({
      ...this.#fresh(version, `pending-${kind}`),
      manifest,
      chart: { metadata: { name: chart.name, version: chart.version } },
      config: values,
      labels: digestLabels(digest),
    })
  }

  /** A rollback: the same content once more, as a new revision. */
  beginAgain(version: number, earlier: Revision): Promise<Revision> {
    return this.#create({ ...earlier, ...this.#fresh(version, 'pending-rollback') })
  }

  async settle(revision: Revision, status: Status): Promise<Revision> {
    const settled = { ...revision, info: { ...revision.info, status } }
    const { labels, ...stored } = settled
    const secret = await releaseSecret(this.#target, stored, labels)
    const { labels: changed } = secret.metadata
    const at = { namespace: this.#target.namespace, name: secret.metadata.name }
    await this.#client.patch(Secret, at, { merge: { metadata: { labels: changed }, data: secret.data } })
    return settled
  }

  /** The oldest go first; what is deployed stays. */
  async prune(keep: number): Promise<void> {
    const secrets = await this.#secrets()
    const old = secrets.slice(0, Math.max(0, secrets.length - keep))
    for (const { metadata } of old) {
      if (metadata.labels?.['status'] !== 'deployed') await this.#delete(metadata.name)
    }
  }

  async forget(): Promise<void> {
    for (const { metadata } of await this.#secrets()) await this.#delete(metadata.name)
  }

  #fresh(version: number, status: string): Pick<StoredRelease, 'name' | 'namespace' | 'version' | 'info'> {
    const { release: name, namespace } = this.#target
    const now = new Date(this.#clock.now()).toISOString()
    return { name, namespace, version, info: { status, description: '', first_deployed: now, last_deployed: now } }
  }

  async #create(revision: Revision): Promise<Revision> {
    const { labels, ...stored } = revision
    await this.#client.create(Secret, await releaseSecret(this.#target, stored, labels))
    return revision
  }

  async #secrets() {
    const { namespace, release } = this.#target
    const secrets = await this.#client.list(Secret, { namespace, labels: recordsOf(release) })
    return secrets.toSorted((a, b) => revisionOf(a) - revisionOf(b))
  }

  async #delete(name: string): Promise<void> {
    await this.#client.delete(Secret, { namespace: this.#target.namespace, name })
  }
}

const SYSTEM = new Set(['name', 'owner', 'status', 'version', 'createdAt', 'modifiedAt'])

const custom = (labels: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).filter(([key]) => !SYSTEM.has(key)))
