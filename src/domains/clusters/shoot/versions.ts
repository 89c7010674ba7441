import type { KubernetesVersion } from '../gardener/gardener.ts'
import type { NodePool } from '../types.ts'
import { compare, isSameMinor, versionOf, type Version } from './version.ts'

/** A version that Gardener would accept for a cluster, and what choosing it would change. */
export interface Upgrade {
  readonly version: string
  readonly kind: 'patch' | 'minor'
  readonly classification: KubernetesVersion['classification']
  readonly expiresAt: number | null
  /** Names of the node pools whose nodes are replaced, one after the other. A patch replaces none. */
  readonly rolls: readonly string[]
}

/**
 * The upgrades from a present version, oldest first: newer patches of the same minor, and those of the next minor.
 * Gardener refuses downgrades and skipped minors. Expired versions are not offered; preview versions are, to a cluster
 * that already runs one.
 */
export function upgradesFrom(
  present: string,
  offered: readonly KubernetesVersion[],
  pools: readonly Pick<NodePool, 'name'>[],
): readonly Upgrade[] {
  const from = versionOf(present)
  if (from === undefined) return []
  const isOnPreview = offered.some((one) => one.version === present && one.classification === 'preview')
  const names = pools.map(({ name }) => name)
  return offered
    .filter(({ classification }) => classification !== 'expired' && (isOnPreview || classification !== 'preview'))
    .flatMap((one) => {
      const to = versionOf(one.version)
      const kind = to === undefined ? undefined : stepOf(from, to)
      return to === undefined || kind === undefined ? [] : [{ one, to, kind }]
    })
    .toSorted((a, b) => compare(a.to, b.to))
    .map(({ one, kind }) => ({ ...one, kind, rolls: kind === 'minor' ? names : [] }))
}

function stepOf(from: Version, to: Version): Upgrade['kind'] | undefined {
  if (compare(to, from) <= 0) return undefined
  if (isSameMinor(from, to)) return 'patch'
  return to.major === from.major && to.minor === from.minor + 1 ? 'minor' : undefined
}

/** Whether a cluster may be created with a version, as ordered: `1.34` or `1.34.3`. */
export function isOrderable(ordered: string, offered: readonly KubernetesVersion[]): boolean {
  const wanted = versionOf(ordered)
  if (wanted === undefined) return false
  if (wanted.patch !== undefined)
    return offered.some(({ version, classification }) => version === ordered && classification !== 'expired')
  return offered.some(({ version, classification }) => {
    const one = versionOf(version)
    return one !== undefined && isSameMinor(one, wanted) && classification !== 'expired' && classification !== 'preview'
  })
}
