import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { access, chmod, mkdir, readdir, rename, rm, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { cacheDirectory } from '../binaries/index.ts'
import { lock } from '../process/index.ts'
import type { OnProgress } from '../progress.ts'

const run = promisify(execFile)

/** What the node itself runs: the container runtime, iptables for kube-proxy, and the libraries of both. */
export const RUNTIME_PACKAGES = [
  'containerd',
  'runc',
  'containernetworking-plugins',
  'libseccomp2',
  'iptables',
  'libip4tc2',
  'libip6tc2',
  'libxtables12',
  'libnftnl11',
  'libmnl0',
  'libnfnetlink0',
  'libnetfilter-conntrack3',
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
  const recipe = createHash('sha256').update(packages.join(' ')).digest('hex').slice(0, 12)
  const target = join(cacheDirectory(), 'node', `${name}-${process.arch}-${recipe}`)
  const unlock = await lock(`${target}.lock`, { waitMs: 300_000 })
  const draft = `${target}.${randomUUID()}`
  try {
    if (await exists(target)) return target
    onProgress({ what: `downloading ${packages.join(', ')}`, elapsedMs: Date.now() - startedAt })
    const downloads = join(draft, 'packages')
    await mkdir(downloads, { recursive: true })
    // apt-get downloads as a user of its own, which must be able to write here.
    await chmod(downloads, 0o777)
    await run('apt-get', ['download', '-q', ...packages], { cwd: downloads })
    for (const file of await readdir(downloads)) await run('dpkg-deb', ['-x', join(downloads, file), draft])
    await rm(downloads, { recursive: true })
    await chooseIptables(join(draft, 'usr/sbin'))
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

/** Debian decides in an install script which implementation `iptables` is; that did not run. */
async function chooseIptables(folder: string): Promise<void> {
  if (!(await exists(join(folder, 'xtables-nft-multi')))) return
  for (const name of ['iptables', 'ip6tables'].flatMap((base) => [base, `${base}-save`, `${base}-restore`])) {
    await symlink('xtables-nft-multi', join(folder, name))
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )
