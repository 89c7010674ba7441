import { execFile } from 'node:child_process'
import { access, constants, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { chromium } from 'playwright-core'
import type { Browser } from 'playwright-core'
import { cacheDirectory } from '../../tools/binaries/index.ts'
import { lock } from '../../tools/process/index.ts'

const run = promisify(execFile)
const NAMES = ['chromium', 'chromium-browser', 'google-chrome']
const isRoot = process.getuid?.() === 0

/** No network of its own, no first-run pages; the sandbox needs rights that root in a container does not pass on. */
const FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
]

interface Program {
  readonly path: string
  readonly env: Readonly<Record<string, string>>
  /** Unpacked by us, its sandbox helper has lost the rights it needs. */
  readonly sandbox: boolean
}

/** A headless Chromium: the one of CHROMIUM_BIN, the one installed, or Debian's packages, obtained once. */
export async function launchChromium(): Promise<Browser> {
  const { path, env, sandbox } = (await installed()) ?? (await obtained())
  return await chromium.launch({
    executablePath: path,
    env: { ...process.env, ...env },
    chromiumSandbox: sandbox && !isRoot,
    args: FLAGS,
  })
}

/** Obtains it where there is none, ahead of tests whose time is limited. */
export const prepareChromium = async (): Promise<unknown> => (await installed()) ?? (await obtained())

const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  )

async function installed(): Promise<Program | undefined> {
  const named = process.env['CHROMIUM_BIN'] ?? ''
  if (named !== '') {
    if (await isExecutable(named)) return { path: named, env: {}, sandbox: true }
    throw new Error(`failed to use CHROMIUM_BIN: ${named} is not executable; correct or unset it`)
  }
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  for (const path of NAMES.flatMap((name) => folders.map((folder) => join(folder, name)))) {
    if (await isExecutable(path)) return { path, env: {}, sandbox: true }
  }
  return undefined
}

async function obtained(): Promise<Program> {
  const release = await lock(join(cacheDirectory(), 'chromium.lock'), { waitMs: 600_000 })
  try {
    return isRoot ? await installedByRoot() : await unpacked()
  } catch (error) {
    const how = 'set CHROMIUM_BIN, or put chromium, chromium-browser or google-chrome on the PATH'
    throw new Error(`failed to obtain Chromium from Debian packages; ${how}`, { cause: error })
  } finally {
    await release()
  }
}

async function installedByRoot(): Promise<Program> {
  const before = await installed()
  if (before !== undefined) return before
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  await run('apt-get', ['update', '-q'], { env })
  await run('apt-get', ['install', '-y', '-q', '--no-install-recommends', 'chromium', 'fonts-dejavu-core'], { env })
  const now = await installed()
  if (now === undefined) throw new Error('apt-get installed chromium, yet it is not on the PATH')
  return now
}

/**
 * Without root: apt, with lists of its own, says which packages this machine lacks; they are downloaded and unpacked
 * into the cache. The folder gets its final name only when it is complete.
 */
async function unpacked(): Promise<Program> {
  const home = join(cacheDirectory(), 'chromium')
  if (await isExecutable(join(home, 'usr/lib/chromium/chromium'))) return programIn(home)
  const draft = `${home}.${process.pid}`
  const debs = join(draft, 'debs')
  await mkdir(join(draft, 'apt/lists/partial'), { recursive: true })
  await mkdir(debs, { recursive: true })
  try {
    const apt = [
      '-q',
      '-o',
      `Dir::State::Lists=${draft}/apt/lists`,
      '-o',
      `Dir::Cache=${draft}/apt`,
      '-o',
      'Debug::NoLocking=1',
    ]
    await run('apt-get', [...apt, 'update'])
    const wanted = ['install', '--simulate', '--no-install-recommends', 'chromium', 'fonts-dejavu-core']
    const { stdout } = await run('apt-get', [...apt, ...wanted], { maxBuffer: 16 * 1024 ** 2 })
    const missing = [...stdout.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name ?? '')
    await run('apt-get', [...apt, 'download', ...missing], { cwd: debs, maxBuffer: 16 * 1024 ** 2 })
    for (const deb of await readdir(debs)) await run('dpkg', ['-x', join(debs, deb), draft])
    await writeFile(join(draft, 'fonts.conf'), fontConfig(home))
    await Promise.all([rm(debs, { recursive: true }), rm(join(draft, 'apt'), { recursive: true })])
    await rename(draft, home)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  return programIn(home)
}

async function programIn(home: string): Promise<Program> {
  const triplets = (await readdir(join(home, 'usr/lib'))).filter((name) => name.endsWith('-linux-gnu'))
  const libraries = triplets.flatMap((name) => [join(home, 'usr/lib', name), join(home, 'lib', name)])
  return {
    path: join(home, 'usr/lib/chromium/chromium'),
    env: { LD_LIBRARY_PATH: libraries.join(delimiter), FONTCONFIG_FILE: join(home, 'fonts.conf') },
    sandbox: false,
  }
}

const fontConfig = (home: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts</dir>
  <dir>${home}/usr/share/fonts</dir>
  <cachedir>${home}/fonts-cache</cachedir>
</fontconfig>
`
