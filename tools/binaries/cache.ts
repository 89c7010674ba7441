import { access, constants } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { CATALOGUE } from './catalogue.ts'
import type { BinaryName } from './catalogue.ts'

/** Shared by all checkouts of a user; it can be deleted at any time. */
export const cacheDirectory = (env: NodeJS.ProcessEnv = process.env): string =>
  env['CAELUS_CACHE_DIR'] ?? join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'caelus')

/** Path of a binary of the pinned version. Binaries of one release share a folder, as in KUBEBUILDER_ASSETS. */
export function cachedPath(name: BinaryName): string {
  const { module, version } = CATALOGUE[name]
  return join(cacheDirectory(), 'bin', `${process.platform}-${process.arch}`, `${module}-${version}`, name)
}

export const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
