import { Secret, type Client, type CoreV1, type Page } from '../../../kube/index.ts'
import { objectsOf, type Kinds } from './manifest.ts'
import type { Releases, ReleaseTarget } from './port.ts'
import { decodeRelease, digestIn, encodeRelease, recordName, recordsOf, revisionOf, statusOf } from './storage.ts'

/** A record can be pruned between the list and the read; then there is a newer one. */
const LOOKS = 3

/** Helm's storage, read and unlocked over the API: no process, and no more than one record is transferred. */
export function releases(client: Client, kinds: Kinds): Releases {
  const seenBy = ({ as }: ReleaseTarget): Client => (as === undefined ? client : client.as(as))

  async function newestSecret(target: ReleaseTarget, signal?: AbortSignal): Promise<CoreV1.Secret | undefined> {
    const reader = seenBy(target)
    for (let look = 1; look <= LOOKS; look++) {
      const revision = await newestRevision(reader, target, signal)
      if (revision === undefined) return undefined
      const at = { namespace: target.namespace, name: recordName(target.release, revision) }
      const secret = await reader.get(Secret, at, signal)
      if (secret !== undefined) return secret
    }
    throw new Error(`failed to read the release ${target.release}: its records changed ${LOOKS} times meanwhile`)
  }

  return {
    async newest(target, signal) {
      const secret = await newestSecret(target, signal)
      if (secret === undefined) return undefined
      const release = await decodeRelease(secret)
      const digest = digestIn(secret)
      return {
        revision: release.version,
        status: statusOf(release),
        updatedAt: Date.parse(release.info.last_deployed) || 0,
        ...(digest !== undefined && { digest }),
        objects: await objectsOf(release.manifest, target, kinds),
      }
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

const isLocked = (status: string): boolean => status.startsWith('pending-') || status === 'uninstalling'

/** Metadata alone is read: records are large, and all but one are history. */
async function newestRevision(
  reader: Client,
  { namespace, release }: ReleaseTarget,
  signal?: AbortSignal,
): Promise<number | undefined> {
  let newest = 0
  let continueToken: string | undefined
  do {
    const page: Page<CoreV1.Secret> = await reader.listPage(
      Secret,
      {
        namespace,
        labels: recordsOf(release),
        metadataOnly: true,
        limit: 100,
        ...(continueToken !== undefined && { continueToken }),
      },
      signal,
    )
    newest = Math.max(newest, ...page.items.map(revisionOf))
    continueToken = page.continueToken
  } while (continueToken !== undefined)
  return newest === 0 ? undefined : newest
}
