// Plain JavaScript for any Node from 18 on: it runs before anything is installed.
import { spawn } from 'node:child_process'
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')
const MODULES = join(ROOT, 'node_modules')
const LOCK = join(ROOT, '.caelus', 'install.lock')

/** The Node that comes with the dependencies. Windows links it as a command file. */
export const PINNED_NODE = join(MODULES, '.bin', process.platform === 'win32' ? 'node.exe' : 'node')

/** Installs the dependencies unless they are those of package-lock.json. Of several processes at once, one does it. */
export async function install() {
  if (isInstalled()) return
  const unlock = await lock()
  try {
    if (isInstalled()) return
    console.error('caelus: installing dependencies (once)')
    await npmInstall()
    if (!isInstalled())
      fail('failed to install the dependencies: npm ended well, but not all of package-lock.json is there')
  } finally {
    unlock()
  }
}

/**
 * Whether node_modules holds what package-lock.json asks for, by npm's own record, which it writes after everything else.
 * Compared by content: whoever runs npm by hand, or checks out another branch with the same dependencies, installs nothing anew.
 */
function isInstalled() {
  if (!existsSync(PINNED_NODE)) return false
  const wanted = packagesIn(join(ROOT, 'package-lock.json'))
  const found = packagesIn(join(MODULES, '.package-lock.json'))
  return Object.entries(wanted).every(([path, { version, integrity, optional, devOptional, peer }]) => {
    const there = found[path]
    // Optional ones are often for another platform.
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

/** A directory is made by exactly one. Its holder writes down who it is, so that one left by a dead process is removed. */
async function lock() {
  mkdirSync(dirname(LOCK), { recursive: true })
  for (let told = false; ; await delay(300)) {
    try {
      mkdirSync(LOCK)
      writeFileSync(join(LOCK, 'pid'), String(process.pid))
      return () => rmSync(LOCK, { recursive: true, force: true })
    } catch (error) {
      if (error.code !== 'EEXIST') {
        fail(`failed to write to ${dirname(LOCK)} (${error.code}): run this as the owner of the checkout`)
      }
      if (!holderLives()) rmSync(LOCK, { recursive: true, force: true })
      else if (!told) console.error('caelus: another process is installing the dependencies; waiting for it')
      told = true
    }
  }
}

function holderLives() {
  let pid
  try {
    pid = Number(readFileSync(join(LOCK, 'pid'), 'utf8'))
  } catch {
    // Made a moment ago and not signed yet, or left so long ago.
    const made = statSync(LOCK, { throwIfNoEntry: false })
    return made !== undefined && Date.now() - made.mtimeMs < 5_000
  }
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/**
 * `npm install` and not `npm ci`: it takes the same versions from package-lock.json, but does not refuse a lockfile that
 * lacks optional packages of platforms its maker could not see, and does not first remove what other processes are using.
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
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    process.stderr.write(text)
    said = (said + text).slice(-20_000)
  })
  const code = await new Promise((resolve) => {
    child.on('error', (error) => resolve(error.code === 'ENOENT' ? 'npm is not installed' : error.message))
    child.on('close', (status) => resolve(status))
  })
  if (code !== 0) fail(`failed to install the dependencies (${code})${hint(said)}`)
}

/** npm writes to its cache even when it only reads packages. One that belongs to somebody else is left alone. */
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

function hint(said) {
  if (/EACCES|EPERM|EROFS/.test(said)) return ': the checkout or the npm cache cannot be written; run it as their owner'
  if (/ENOSPC/.test(said)) return ': the disk is full; about 700 MB are needed'
  if (/ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|network/i.test(said))
    return ': the npm registry cannot be reached; check the network and `npm config get registry`'
  return ''
}

export function fail(why) {
  console.error(`caelus: ${why}`)
  process.exit(1)
}
