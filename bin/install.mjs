// Plain JavaScript for Node 18 and later: it runs before the dependencies are installed.
import { spawn } from 'node:child_process'
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')
const MODULES = join(ROOT, 'node_modules')
const LOCK = join(ROOT, '.caelus', 'install.lock')
const LOCKFILES = [join(ROOT, 'package-lock.json'), join(MODULES, '.package-lock.json')]
const VERDICT = join(MODULES, '.cache', 'installed')

/** The Node that the dependencies bring. */
export const PINNED_NODE = join(MODULES, '.bin', process.platform === 'win32' ? 'node.exe' : 'node')

/** Installs the dependencies unless node_modules matches package-lock.json. Concurrent processes wait for one of them. */
export async function install() {
  if (!existsSync(PINNED_NODE) || !wasInstalled()) await installOnce()
}

async function installOnce() {
  if (isInstalled()) return rememberInstalled()
  const unlock = await lock()
  try {
    if (isInstalled()) return rememberInstalled()
    console.error('caelus: installing dependencies (once)')
    await npmInstall()
    if (!isInstalled())
      fail('failed to install the dependencies: npm succeeded, but packages of package-lock.json are missing')
    rememberInstalled()
  } finally {
    unlock()
  }
}

/** Whether neither lockfile changed since the last comparison, which takes longer than a short command. */
const wasInstalled = () => {
  try {
    return readFileSync(VERDICT, 'utf8') === lockfileStamps()
  } catch {
    return false
  }
}

/** Only speed depends on it, so a checkout that cannot be written is no error. */
function rememberInstalled() {
  try {
    mkdirSync(dirname(VERDICT), { recursive: true })
    writeFileSync(VERDICT, lockfileStamps())
  } catch {}
}

const lockfileStamps = () =>
  LOCKFILES.map((file) => {
    const { size, mtimeMs } = statSync(file)
    return `${size} ${mtimeMs}`
  }).join('\n')

/**
 * Whether node_modules matches package-lock.json, according to the record that npm writes after everything else.
 * It compares contents, so that a branch with the same dependencies, or an npm run by hand, causes no installation.
 */
function isInstalled() {
  if (!existsSync(PINNED_NODE)) return false
  const [wanted, found] = LOCKFILES.map(packagesIn)
  return Object.entries(wanted).every(([path, { version, integrity, optional, devOptional, peer }]) => {
    const there = found[path]
    // Optional packages are often for another platform.
    if (!path.includes('node_modules/') || (there === undefined && (optional || devOptional || peer))) return true
    return there !== undefined && there.version === version && there.integrity === integrity
  })
}

function packagesIn(lockfile) {
  try {
    return JSON.parse(readFileSync(lockfile, 'utf8')).packages ?? {}
  } catch (error) {
    return error.code === 'ENOENT' ? {} : fail(`failed to read ${lockfile}: ${error.message}`)
  }
}

/** mkdir succeeds for one process only. The holder writes its pid, so that the lock of a dead process can be removed. */
async function lock() {
  mkdirSync(dirname(LOCK), { recursive: true })
  for (let announced = false; ; await delay(300)) {
    try {
      mkdirSync(LOCK)
      writeFileSync(join(LOCK, 'pid'), String(process.pid))
      return () => rmSync(LOCK, { recursive: true, force: true })
    } catch (error) {
      if (error.code !== 'EEXIST') {
        fail(`failed to write to ${dirname(LOCK)} (${error.code}): run this as the owner of the checkout`)
      }
      if (!holderLives()) rmSync(LOCK, { recursive: true, force: true })
      else if (!announced) console.error('caelus: another process is installing the dependencies; waiting for it')
      announced = true
    }
  }
}

function holderLives() {
  let pid
  try {
    pid = Number(readFileSync(join(LOCK, 'pid'), 'utf8'))
  } catch {
    // Created a moment ago without its pid yet, or left behind by a process that died in between.
    const created = statSync(LOCK, { throwIfNoEntry: false })
    return created !== undefined && Date.now() - created.mtimeMs < 5_000
  }
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/**
 * `npm install`, not `npm ci`: both take the versions of package-lock.json, but `npm ci` removes node_modules while other
 * processes use it.
 */
async function npmInstall() {
  const [command, ...first] = process.env.npm_execpath?.endsWith('.js')
    ? [process.execPath, process.env.npm_execpath]
    : [process.platform === 'win32' ? 'npm.cmd' : 'npm']
  const child = spawn(command, [...first, 'install', '--no-save', '--no-audit', '--no-fund', '--loglevel', 'error'], {
    cwd: ROOT,
    stdio: ['ignore', 2, 'pipe'],
    env: { ...process.env, ...usableCache() },
    shell: process.platform === 'win32',
  })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    process.stderr.write(text)
    output = (output + text).slice(-20_000)
  })
  const code = await new Promise((resolve) => {
    child.on('error', (error) => resolve(error.code === 'ENOENT' ? 'npm is not installed' : error.message))
    child.on('close', (status) => resolve(status))
  })
  if (code !== 0) fail(`failed to install the dependencies (${code})${hint(output)}`)
}

/** npm needs a cache that it can write. Where the configured one is read-only, npm gets a cache in the checkout. */
function usableCache() {
  const cache = process.env.npm_config_cache ?? join(homedir(), '.npm')
  for (let path = cache; ; path = dirname(path)) {
    if (!existsSync(path) && dirname(path) !== path) continue
    try {
      accessSync(path, constants.W_OK)
      return {}
    } catch {
      const own = join(ROOT, '.caelus', 'npm-cache')
      console.error(`caelus: the npm cache ${cache} cannot be written; using ${own}`)
      return { npm_config_cache: own }
    }
  }
}

function hint(output) {
  if (/EACCES|EPERM|EROFS/.test(output))
    return ': the checkout or the npm cache cannot be written; run it as their owner'
  if (/ENOSPC/.test(output)) return ': the disk is full; about 700 MB are needed'
  if (/ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|network/i.test(output))
    return ': the npm registry cannot be reached; check the network and `npm config get registry`'
  return ''
}

export function fail(message) {
  console.error(`caelus: ${message}`)
  process.exit(1)
}
