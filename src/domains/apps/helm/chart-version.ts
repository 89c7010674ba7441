/*
 * Versions of charts, which are semantic versions (semver.org 2.0.0); a leading `v` is let pass, as Helm does. What is not a
 * version is older than everything that is one.
 */

const VERSION = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([\w.-]+))?(?:\+[\w.-]+)?$/

interface Version {
  readonly numbers: readonly string[]
  readonly before: readonly string[]
}

const parse = (text: string): Version | undefined => {
  const match = VERSION.exec(text.trim())
  if (match === null) return undefined
  const [, major = '0', minor = '0', patch = '0', before] = match
  return { numbers: [major, minor, patch], before: before?.split('.') ?? [] }
}

/** Negative: `a` is older. Builds (`+…`) are not told apart. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parse(a), parse(b)]
  if (left === undefined || right === undefined) return Number(left !== undefined) - Number(right !== undefined)
  const byNumbers = compareLists(left.numbers, right.numbers)
  if (byNumbers !== 0) return byNumbers
  // Something before 1.0.0 comes before 1.0.0 itself.
  if (left.before.length === 0 || right.before.length === 0) return right.before.length - left.before.length
  return compareLists(left.before, right.before)
}

function compareLists(a: readonly string[], b: readonly string[]): number {
  const differing = a.findIndex((part, index) => compareParts(part, b[index]) !== 0)
  return differing === -1 ? a.length - b.length : compareParts(a[differing] ?? '', b[differing])
}

/** Numbers by size, before words; words by their letters. */
function compareParts(a: string, b: string | undefined): number {
  if (b === undefined) return 1
  const [aNumber, bNumber] = [a, b].map((part) => (/^\d+$/.test(part) ? BigInt(part) : undefined))
  if (aNumber !== undefined && bNumber !== undefined) return aNumber < bNumber ? -1 : Number(aNumber > bNumber)
  if (aNumber !== undefined || bNumber !== undefined) return aNumber === undefined ? 1 : -1
  return a < b ? -1 : Number(a > b)
}
