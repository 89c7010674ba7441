/** A version of Kubernetes or of a machine image. The patch is absent where only a minor was ordered. */
export interface Version {
  readonly major: number
  readonly minor: number
  readonly patch: number | undefined
}

/** `undefined`: the text is not a version. */
export function versionOf(text: string): Version | undefined {
  const found = /^v?(\d+)\.(\d+)(?:\.(\d+))?(?:[-+].*)?$/.exec(text)
  if (found === null) return undefined
  const [, major, minor, patch] = found
  return { major: Number(major), minor: Number(minor), patch: patch === undefined ? undefined : Number(patch) }
}

/** Negative, zero or positive as `a` is older, equal or newer. A missing patch is equal to every patch. */
export const compare = (a: Version, b: Version): number =>
  a.major - b.major || a.minor - b.minor || (a.patch === undefined || b.patch === undefined ? 0 : a.patch - b.patch)

export const isSameMinor = (a: Version, b: Version): boolean => a.major === b.major && a.minor === b.minor

/**
 * Whether a live version is what was ordered, or newer. Gardener completes `1.34` to a patch, raises versions in the
 * maintenance window, and never lowers one.
 */
export function isVersionMet(ordered: string, live: string): boolean {
  const [wanted, present] = [versionOf(ordered), versionOf(live)]
  return wanted === undefined || present === undefined ? ordered === live : compare(present, wanted) >= 0
}
