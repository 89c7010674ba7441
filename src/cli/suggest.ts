import { nearest } from '../kernel/index.ts'

/** Most commands that are suggested. */
const MOST = 5

/** The commands that were probably meant: by a typing error, by `list deployments`, or by the noun alone. */
export function commandsMeant(args: readonly string[], known: readonly string[]): readonly string[] {
  const [first = '', second = ''] = args.filter((arg) => !arg.startsWith('-'))
  const joined = second === '' ? undefined : nearest(`${first}-${second}`, known)
  if (joined !== undefined) return [joined]
  const noun = singular(first)
  const about = known.filter((name) => name.split('-').some((word) => singular(word) === noun))
  if (about.length > 0) return about.slice(0, MOST)
  const close = nearest(first, known)
  return close === undefined ? [] : [close]
}

const singular = (word: string): string => word.replace(/s$/, '')
