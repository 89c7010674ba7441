import { raise } from '../failures.ts'

/** What differs between the Helms that we accept. */
export interface HelmVersion {
  readonly major: 3 | 4
  readonly minor: number
  /** As it calls itself: `v4.3.1`. */
  readonly text: string
}

/** The first that leaves the schema check and the notes out when asked. */
const ACCEPTED = 'Helm 4, or Helm 3.16 and later'

/** From what `helm version` writes: `v4.3.1`, `v3.19.0+g3d8990f`, `v4.3`. */
export function parseVersion(text: string): HelmVersion {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(text.trim()) ?? []
  const version = { major: Number(major), minor: Number(minor), text: text.trim() }
  if (version.major === 4 || (version.major === 3 && version.minor >= 16)) return version as HelmVersion
  throw raise.HelmFailed(`failed to use helm: it says that it is ${JSON.stringify(text.trim())}; needed is ${ACCEPTED}`)
}

/**
 * What we promise of an app and cannot keep with this Helm. Helm 3 makes a patch from the last revision that was deployed,
 * and sends it without asking whose the fields are; Helm 4 has the server apply the whole.
 */
export const shortcomings = ({ major }: HelmVersion): readonly string[] =>
  major === 4
    ? []
    : [
        'an upgrade overwrites fields that others hold instead of settling whose they are',
        'a field that the control plane does not know is dropped and not refused',
        'what an upgrade had added when it was killed stays',
      ]

/** Helm 3 overwrites what others hold without being asked to. */
export const forced = ({ major }: HelmVersion, force: boolean): readonly string[] =>
  force && major === 4 ? ['--force-conflicts'] : []

/** Renders with what the control plane can do and has, without writing anything. */
export const askingTheCluster = ({ major }: HelmVersion): string => (major === 3 ? '--validate' : '--dry-run=server')

/**
 * Helm 4 applies on the server, which refuses fields that it does not know; reading its whole schema to find them before
 * would be most of the work of a call. Helm 3 patches, and an unknown field would be dropped in silence.
 */
export const checkedByTheServer = ({ major }: HelmVersion): readonly string[] =>
  major === 3 ? [] : ['--disable-openapi-validation']
