import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { lock } from '../process/index.ts'

const CONSOLE = join(import.meta.dirname, '../../console')
const DIST = join(CONSOLE, 'dist')
const STAMP = join(DIST, '.built-from')
const CACHE = join(import.meta.dirname, '../../node_modules/.cache')
const LOCK = join(CACHE, 'console.lock')
/** Not beside `dist`: linters and formatters that run at the same time would check what the build writes. */
const DRAFTS = join(CACHE, 'console')

/** All inputs of the build. */
const SOURCES = ['index.html', 'vite.config.ts', 'package.json', 'tsconfig.json', 'public', 'src']

/**
 * Builds the console if its sources changed since the last build. Returns whether it was built.
 *
 * The build is renamed to its place when it is complete, so that a server can serve the folder at any time. Of several
 * processes, one builds and the others wait.
 */
export const buildConsole = (signal: AbortSignal): Promise<boolean> => locked(() => buildUnlessBuilt(signal))

/** Builds the console if its sources changed, and copies it before another process can build it again. */
export const copyConsole = (to: string, signal: AbortSignal): Promise<void> =>
  locked(async () => {
    await buildUnlessBuilt(signal)
    await cp(DIST, to, { recursive: true })
  })

async function locked<T>(work: () => Promise<T>): Promise<T> {
  const unlock = await lock(LOCK, { waitMs: 120_000 })
  try {
    return await work()
  } finally {
    await unlock()
  }
}

async function buildUnlessBuilt(signal: AbortSignal): Promise<boolean> {
  const digest = await digestOf(SOURCES.map((name) => join(CONSOLE, name)))
  if ((await readFile(STAMP, 'utf8').catch(() => '')) === digest) return false
  // Of this process alone: the vite of a process that was killed may still be writing to its own.
  const draft = join(DRAFTS, String(process.pid))
  const fresh = join(draft, 'new')
  try {
    await rm(DRAFTS, { recursive: true, force: true, maxRetries: 3 })
    await mkdir(draft, { recursive: true })
    await runVite(['build', '--outDir', fresh, '--emptyOutDir', '--logLevel', 'error'], signal)
    await writeFile(join(fresh, '.built-from'), digest)
    await rename(DIST, join(draft, 'old')).catch(() => {})
    await rename(fresh, DIST)
  } finally {
    await rm(draft, { recursive: true, force: true })
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
  // A lower priority, because the server starts at the same time.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-4000)))
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`failed to build the console: ${output.trim() || `vite ended with ${code}`}`)
}
