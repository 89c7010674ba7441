import { promisify } from 'node:util'
import { gunzip, gunzipSync, gzipSync } from 'node:zlib'
import type { CoreV1 } from '../../../kube/index.ts'
import { isJsonObject, type JsonObject } from '../values/json.ts'
import { PENDING_KINDS } from '../observed.ts'
import type { ReleaseRecord, ReleaseTarget } from './port.ts'

/*
 * Helm's own storage: one Secret per revision, `sh.helm.release.v1.{release}.v{revision}`, holding the record as JSON,
 * gzipped and in base64, inside the base64 of the Secret. Labels repeat what is looked for: owner, name, status, version.
 */

/** A record, as far as we read or write it; the rest passes through untouched. */
export interface StoredRelease extends JsonObject {
  readonly name: string
  readonly namespace: string
  readonly version: number
  readonly manifest: string
  readonly info: {
    readonly status: string
    readonly description: string
    readonly last_deployed: string
    /** Absent: the chart has none. */
    readonly notes?: string
    readonly [other: string]: string
  }
}

export const recordName = (release: string, revision: number): string => `sh.helm.release.v1.${release}.v${revision}`

export const recordsOf = (release: string): string => `owner=helm,name=${release}`

export const revisionOf = ({ metadata }: { readonly metadata: CoreV1.Secret['metadata'] }): number =>
  Number(metadata.labels?.['version'] ?? 0)

/** Larger ones are not decoded: the API server stores 1 MiB, and only an attacker's would unfold like this. */
const LARGEST = 32 * 1024 ** 2

export async function decodeRelease(secret: CoreV1.Secret): Promise<StoredRelease> {
  const doing = `failed to read release record ${secret.metadata.name}`
  const outer = Buffer.from(secret.data?.['release'] ?? '', 'base64').toString('latin1')
  const packed = Buffer.from(outer, 'base64')
  const release = await unpacked(packed, doing)
  if (!isJsonObject(release) || !isJsonObject(release['info'])) throw new Error(`${doing}: it has no info`)
  return release as StoredRelease
}

/** Most records are small. Work on other threads would end at times that no simulation decides. */
const SMALL = 1024 ** 2

async function unpacked(packed: Uint8Array, doing: string): Promise<unknown> {
  try {
    const text = unpackedAtOnce(packed) ?? (await promisify(gunzip)(packed, { maxOutputLength: LARGEST }))
    return JSON.parse(text.toString('utf8'))
  } catch (cause) {
    throw new Error(`${doing}: it is not gzipped JSON`, { cause })
  }
}

/** `undefined`: it is large. */
function unpackedAtOnce(packed: Uint8Array): Buffer | undefined {
  if (packed.length > SMALL / 4) return undefined
  try {
    return gunzipSync(packed, { maxOutputLength: SMALL })
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

export async function encodeRelease(release: StoredRelease): Promise<string> {
  const packed = gzipSync(JSON.stringify(release), { level: 9 })
  return Buffer.from(packed.toString('base64'), 'latin1').toString('base64')
}

/** The Secret of one revision, as Helm itself would write it. */
export async function releaseSecret(
  { namespace, release }: ReleaseTarget,
  stored: StoredRelease,
  labels: Readonly<Record<string, string>>,
): Promise<CoreV1.Secret> {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'helm.sh/release.v1',
    metadata: {
      namespace,
      name: recordName(release, stored.version),
      labels: { ...labels, owner: 'helm', name: release, version: String(stored.version), status: stored.info.status },
    },
    data: { release: await encodeRelease(stored) },
  }
}

/** A label holds 63 characters, a digest has 64. Labels, because a rollback restores them and overwrites a description. */
const HEAD = 'caelus.io/digest-head'
const TAIL = 'caelus.io/digest-tail'

export const digestLabels = (digest: string): Readonly<Record<string, string>> => ({
  [HEAD]: digest.slice(0, digest.length / 2),
  [TAIL]: digest.slice(digest.length / 2),
})

export function digestIn({ metadata }: CoreV1.Secret): string | undefined {
  const { [HEAD]: head, [TAIL]: tail } = metadata.labels ?? {}
  return head === undefined || tail === undefined ? undefined : head + tail
}

const PENDING = new Map(PENDING_KINDS.map((kind) => [`pending-${kind}`, { pending: kind } as const]))
const SETTLED = ['deployed', 'failed', 'superseded', 'uninstalling', 'uninstalled'] as const

/** A status that we do not know is taken as failed: the next upgrade is what settles it. */
export const statusOf = ({ info }: StoredRelease): ReleaseRecord['status'] =>
  PENDING.get(info.status) ?? SETTLED.find((status) => status === info.status) ?? 'failed'
