import { expect, test } from 'vitest'
import lockfile from '../package-lock.json' with { type: 'json' }

interface Locked {
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

test('package-lock.json has the optional packages of every platform, so that `npm ci` accepts it', () => {
  const packages = lockfile.packages as Readonly<Record<string, Locked>>
  const isLocked = (by: string, name: string): boolean =>
    [`node_modules/${name}`, `${by}/node_modules/${name}`].some((path) => path in packages)
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter((name) => !isLocked(path, name)),
  )
  expect(missing).toEqual([])
})
