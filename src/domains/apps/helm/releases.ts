import { messageOf } from '../../../kernel/index.ts'
import { Secret, type Client, type CoreV1, type Page } from '../../../kube/index.ts'
import { raise } from '../failures.ts'
import { asApplied, readManifest, type Kinds } from './manifest.ts'
import type { ReleaseContents, ReleaseRecord, Releases, ReleaseTarget } from './port.ts'
import { isJsonObject } from '../values/json.ts'
import { decodeRelease, digestIn, encodeRelease, recordName, recordsOf, revisionOf, statusOf } from './storage.ts'

/** A record can be pruned between the list and the read; then there is a newer one. */
const LOOKS = 3

/** Helm keeps ten records, others who use it perhaps some hundreds. */
const MOST_PAGES = 20
const PAGE_SIZE = 100

/** Helm's storage, read and unlocked over the API: no process, and no more than one record is transferred. */
export function releases(client: Client, kinds: Kinds): Releases {
  const seenBy = ({ as }: ReleaseTarget): Client => (as === undefined ? client : client.as(as))

  /** The record of the revision that `pick` chooses. */
  async function chosen(
    target: ReleaseTarget,
    pick: (revisions: readonly Revision[]) => Revision | undefined,
    signal?: AbortSignal,
  ): Promise<CoreV1.Secret | undefined> {
    const reader = seenBy(target)
    for (let look = 1; look <= LOOKS; look++) {
      const found = pick(await revisionsOf(reader, target, signal))
      if (found === undefined) return undefined
      const at = { namespace: target.namespace, name: recordName(target.release, found.revision) }
      const secret = await reader.get(Secret, at, signal)
      if (secret !== undefined) return secret
    }
    throw new Error(`failed to read the release ${target.release}: its records changed ${LOOKS} times meanwhile`)
  }

  async function recordIn(secret: CoreV1.Secret, target: ReleaseTarget): Promise<ReleaseRecord> {
    const release = await readable(secret, () => decodeRelease(secret))
    const objects = await readable(secret, () => readManifest(release.manifest))
    const digest = digestIn(secret)
    return {
      revision: release.version,
      status: statusOf(release),
      updatedAt: Date.parse(release.info.last_deployed) || 0,
      ...(digest !== undefined && { digest }),
      objects: await asApplied(objects, target, kinds),
    }
  }

  return {
    async newest(target, signal) {
      const secret = await chosen(target, newestOf, signal)
      return secret && (await recordIn(secret, target))
    },

    async exists(target, signal) {
      return (await revisionsOf(seenBy(target), target, signal)).length > 0
    },

    async standing(target, signal) {
      const isIt = ({ status }: Revision): boolean => status === 'deployed'
      const secret = await chosen(target, (all) => newestOf(all.filter(isIt)), signal)
      return secret && (await recordIn(secret, target))
    },

    async contents(target, signal) {
      const isDeployed = ({ status }: Revision): boolean => status === 'deployed'
      const secret = await chosen(target, (all) => newestOf(all.filter(isDeployed)) ?? newestOf(all), signal)
      return secret && (await contentsIn(secret))
    },

    async deployedBefore(target, { revision, digest }, signal) {
      const isMeant = (one: Revision): boolean =>
        one.revision < revision && one.digest === digest && STOOD.has(one.status)
      const secret = await chosen(target, (all) => newestOf(all.filter(isMeant)), signal)
      return secret && (await recordIn(secret, target))
    },

    async markFailed(target, revision, signal) {
      const writer = seenBy(target)
      const at = { namespace: target.namespace, name: recordName(target.release, revision) }
      const secret = await writer.get(Secret, at, signal)
      if (secret === undefined) return
      const release = await decodeRelease(secret)
      if (!isLocked(release.info.status)) return
      const info = { ...release.info, status: 'failed', description: `Interrupted while ${release.info.status}` }
      const failed: CoreV1.Secret = {
        ...secret,
        metadata: { ...secret.metadata, labels: { ...secret.metadata.labels, status: 'failed' } },
        data: { ...secret.data, release: await encodeRelease({ ...release, info }) },
      }
      await writer.replace(Secret, failed, signal === undefined ? {} : { signal })
    },
  }
}

async function contentsIn(secret: CoreV1.Secret): Promise<ReleaseContents> {
  const { version, info, manifest, chart, config } = await readable(secret, () => decodeRelease(secret))
  const digest = digestIn(secret)
  const defaults = isJsonObject(chart) ? chart['values'] : undefined
  return {
    revision: version,
    ...(digest !== undefined && { digest }),
    notes: info['notes'] ?? '',
    manifest,
    values: isJsonObject(config) ? config : {},
    defaults: isJsonObject(defaults) ? defaults : {},
  }
}

const readable = <T>({ metadata }: CoreV1.Secret, read: () => Promise<T>): Promise<T> =>
  read().catch((error: unknown) => {
    throw raise.ReleaseUnreadable(`failed to read Secret ${metadata.name}: ${messageOf(error)}`, { cause: error })
  })

const isLocked = (status: string): boolean => status.startsWith('pending-') || status === 'uninstalling'

/** What its labels say of a revision. */
interface Revision {
  readonly revision: number
  readonly status: string
  readonly digest: string | undefined
}

const STOOD: ReadonlySet<string> = new Set(['deployed', 'superseded'])

const newestOf = (revisions: readonly Revision[]): Revision | undefined =>
  revisions.toSorted((a, b) => a.revision - b.revision).at(-1)

/** Metadata alone is read: records are large, and all but one are history. */
async function revisionsOf(
  reader: Client,
  { namespace, release }: ReleaseTarget,
  signal?: AbortSignal,
): Promise<readonly Revision[]> {
  const all: Revision[] = []
  let continueToken: string | undefined
  let pages = 0
  do {
    if (pages++ === MOST_PAGES)
      throw raise.ReleaseUnreadable(
        `failed to read the release ${release}: namespace ${namespace} has more than ${MOST_PAGES * PAGE_SIZE} records of it`,
      )
    const page: Page<CoreV1.Secret> = await reader.listPage(
      Secret,
      {
        namespace,
        labels: recordsOf(release),
        metadataOnly: true,
        limit: PAGE_SIZE,
        ...(continueToken !== undefined && { continueToken }),
      },
      signal,
    )
    all.push(
      ...page.items.map((secret) => ({
        revision: revisionOf(secret),
        status: secret.metadata.labels?.['status'] ?? '',
        digest: digestIn(secret),
      })),
    )
    continueToken = page.continueToken
  } while (continueToken !== undefined)
  return all.filter(({ revision }) => revision > 0)
}
