import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { lock } from '../process/index.ts'

const CONSOLE = join(import.meta.dirname, '../../console')
const DIST = join(CONSOLE, 'dist')
const STAMP = join(DIST, '.built-from')
const LOCK = join(import.meta.dirname, '../../node_modules/.cache/console.lock')

/** Everything the build reads; what it makes is a function of this. */
const SOURCES = ['index.html', 'vite.config.ts', 'package.json', 'tsconfig.json', 'public', 'src']

/**
 * Builds the console if its sources changed since the last time; answers whether that was needed.
 *
 * The new one is made beside the old one and takes its place in one step, so that a server may serve the folder meanwhile.
 * Of several processes at once, one does it.
 */
export async function buildConsole(signal: AbortSignal): Promise<boolean> {
  const unlock = await lock(LOCK, { waitMs: 120_000 })
  try {
    return await buildUnlessBuilt(signal)
  } finally {
    await unlock()
  }
}

async function buildUnlessBuilt(signal: AbortSignal): Promise<boolean> {
  const digest = await digestOf(SOURCES.map((name) => join(CONSOLE, name)))
  if ((await readFile(STAMP, 'utf8').catch(() => '')) === digest) return false
  const fresh = join(CONSOLE, `dist-${process.pid}`)
  try {
    await runVite(['build', '--outDir', fresh, '--emptyOutDir', '--logLevel', 'error'], signal)
    await writeFile(join(fresh, '.built-from'), digest)
    const old = `${fresh}-old`
    await rename(DIST, old).catch(() => {})
    await rename(fresh, DIST)
    await rm(old, { recursive: true, force: true })
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
  return true
}

async function digestOf(paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  const add = async (path: string): Promise<void> => {
    const entries = await readdir(path, { withFileTypes: true }).catch(() => undefined)
    if (entries === undefined)
      return void hash.update(path.slice(CONSOLE.length)).update(await readFile(path).catch(() => ''))
    for (const { name } of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) await add(join(path, name))
  }
  for (const path of paths) await add(path)
  return hash.digest('hex')
}

async function runVite(args: readonly string[], signal: AbortSignal): Promise<void> {
  const vite = join(import.meta.dirname, '../../node_modules/vite/bin/vite.js')
  const child = spawn(process.execPath, [vite, ...args], { cwd: CONSOLE, stdio: ['ignore', 'ignore', 'pipe'], signal })
  // Whoever waits for the server should not wait longer because of the build.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-4000)))
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`failed to build the console: ${said.trim() || `vite ended with ${code}`}`)
}
