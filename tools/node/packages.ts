import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { access, chmod, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { cacheDirectory } from '../binaries/index.ts'
import { lock } from '../process/index.ts'
import type { OnProgress } from '../progress.ts'

const run = promisify(execFile)

/** What the node itself runs: the container runtime, and the library that its runc needs. */
export const RUNTIME_PACKAGES = [
  'containerd',
  'runc',
  'containernetworking-plugins',
  'libseccomp2',
  'busybox-static',
] as const

/** nginx with every library it loads, so that an image of it needs nothing from this machine. */
export const NGINX_PACKAGES = [
  'nginx',
  'nginx-common',
  'libc6',
  'libcrypt1',
  'libpcre2-8-0',
  'libssl3',
  'zlib1g',
] as const

/** The folder into which Debian packages were unpacked. Nothing is installed, no script of theirs runs, no service starts. */
export async function unpacked(
  name: string,
  packages: readonly string[],
  onProgress: OnProgress = () => {},
): Promise<string> {
  const startedAt = Date.now()
  const target = join(cacheDirectory(), 'node', `${name}-${process.arch}`)
  const unlock = await lock(`${target}.lock`, { waitMs: 300_000 })
  const draft = `${target}.${randomUUID()}`
  try {
    if (
      await access(target).then(
        () => true,
        () => false,
      )
    )
      return target
    onProgress({ what: `downloading ${packages.join(', ')}`, elapsedMs: Date.now() - startedAt })
    const downloads = join(draft, 'packages')
    await mkdir(downloads, { recursive: true })
    // apt-get downloads as a user of its own, which must be able to write here.
    await chmod(downloads, 0o777)
    await run('apt-get', ['download', '-q', ...packages], { cwd: downloads })
    for (const file of await readdir(downloads)) await run('dpkg-deb', ['-x', join(downloads, file), draft])
    await rm(downloads, { recursive: true })
    await mkdir(dirname(target), { recursive: true })
    await rename(draft, target)
    return target
  } catch (cause) {
    throw new Error(`failed to get the Debian packages ${packages.join(', ')}`, { cause })
  } finally {
    await rm(draft, { recursive: true, force: true })
    await unlock()
  }
}
