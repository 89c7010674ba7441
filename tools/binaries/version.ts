import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

export interface Version {
  readonly major: number
  readonly minor: number
  readonly patch: number
}

/** The first thing in `text` that looks like a version; a missing patch counts as 0. */
export function parseVersion(text: string): Version | undefined {
  const [, major, minor, patch = '0'] = /\bv?(\d+)\.(\d+)(?:\.(\d+))?/.exec(text) ?? []
  return major === undefined ? undefined : { major: Number(major), minor: Number(minor), patch: Number(patch) }
}

export const versionText = ({ major, minor, patch }: Version): string => `${major}.${minor}.${patch}`

/** Negative: a is older than b. */
export const compareVersions = (a: Version, b: Version): number =>
  a.major - b.major || a.minor - b.minor || a.patch - b.patch

/** The version that the program prints. Undefined: it cannot run here, or prints no version. */
export async function versionOf(program: string, args: readonly string[]): Promise<Version | undefined> {
  try {
    const { stdout, stderr } = await promisify(execFile)(program, args, { timeout: 10_000 })
    return parseVersion(`${stdout}${stderr}`)
  } catch {
    return undefined
  }
}
