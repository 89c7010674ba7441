import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { access, chmod, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { cacheDirectory } from './binaries/index.ts'
import { lock } from './process/index.ts'
import type { OnProgress } from './progress.ts'

const run = promisify(execFile)

export interface UnpackOptions {
  readonly onProgress?: OnProgress
  /** Does what an install script of the packages would have done; `root` is not under its final name yet. */
  readonly finish?: (root: string) => Promise<void>
}

/**
 * The folder into which Debian packages were unpacked. Nothing is installed, none of their scripts runs, no service
 * starts, and root is not needed. Concurrent callers wait for one download, which gets its final name when complete.
 *
 * `name` is the folder's place in the cache.
 */
export async function unpacked(
  name: string,
  packages: readonly string[],
  { onProgress = () => {}, finish = async () => {} }: UnpackOptions = {},
): Promise<string> {
  const startedAt = Date.now()
  const recipe = createHash('sha256').update(packages.join(' ')).digest('hex').slice(0, 12)
  const target = join(cacheDirectory(), `${name}-${process.arch}-${recipe}`)
  await mkdir(dirname(target), { recursive: true })
  const unlock = await lock(`${target}.lock`, { waitMs: 300_000 })
  const draft = `${target}.${randomUUID()}`
  try {
    if (await exists(target)) return target
    onProgress({ what: `downloading ${packages.join(', ')}`, elapsedMs: Date.now() - startedAt })
    const downloads = join(draft, 'packages')
    await mkdir(downloads, { recursive: true })
    await download(packages, downloads, join(draft, 'apt'))
    for (const file of await readdir(downloads)) await run('dpkg-deb', ['-x', join(downloads, file), draft])
    await Promise.all(['packages', 'apt'].map((folder) => rm(join(draft, folder), { recursive: true, force: true })))
    await finish(draft)
    await rename(draft, target)
    return target
  } catch (cause) {
    throw new Error(`failed to get the Debian packages ${packages.join(', ')}`, { cause })
  } finally {
    await rm(draft, { recursive: true, force: true })
    await unlock()
  }
}

/** A fresh machine has no lists of packages and an old one has outdated ones; then we fetch lists of our own. */
async function download(packages: readonly string[], into: string, scratch: string): Promise<void> {
  // apt-get downloads as a user of its own, which must be able to write here.
  await chmod(into, 0o777)
  const get = (...options: readonly string[]) =>
    run('apt-get', ['-q', ...options, 'download', ...packages], { cwd: into })
  await get().catch(async () => {
    await mkdir(join(scratch, 'lists/partial'), { recursive: true })
    const ours = [
      `Dir::State::Lists=${scratch}/lists`,
      `Dir::Cache=${scratch}`,
      'Debug::NoLocking=1',
      'APT::Sandbox::User=root',
    ]
    const options = ours.flatMap((option) => ['-o', option])
    await run('apt-get', ['-q', ...options, 'update'])
    await get(...options)
  })
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )
