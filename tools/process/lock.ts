import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isAlive, ownIdentity } from './identity.ts'
import type { ProcessIdentity } from './identity.ts'

export interface LockOptions {
  /** How long to wait for the holder. @default 0 */
  readonly waitMs?: number
  /** Ends the waiting. */
  readonly signal?: AbortSignal
  /** Called when the waiting begins, and then every second. */
  readonly onWait?: (holder: ProcessIdentity) => void
}

const REPORT_EVERY_MS = 1_000

export class LockHeld extends Error {
  override readonly name = 'LockHeld'
  readonly holder: ProcessIdentity

  constructor(path: string, holder: ProcessIdentity) {
    super(`${path} is held by process ${holder.pid}`)
    this.holder = holder
  }
}

/**
 * Takes the lock file `path` and returns a function that releases it.
 *
 * The file is a link to a file that was written before, so it always names its holder. The lock of a process that has
 * ended is taken over.
 */
export async function lock(path: string, options: LockOptions = {}): Promise<() => Promise<void>> {
  const own = JSON.stringify({ ...ownIdentity(), nonce: randomUUID() })
  const until = Date.now() + (options.waitMs ?? 0)
  await mkdir(dirname(path), { recursive: true })
  for (let reportAt = 0; ;) {
    if (await place(path, own)) return () => unlock(path, own)
    const found = await readFile(path, 'utf8').catch(() => undefined)
    if (found === undefined) continue
    const holder = parseHolder(found)
    if (holder === undefined || !isAlive(holder)) {
      await takeAway(path, found)
      continue
    }
    if (Date.now() >= until) throw new LockHeld(path, holder)
    if (Date.now() >= reportAt) {
      options.onWait?.(holder)
      reportAt = Date.now() + REPORT_EVERY_MS
    }
    await delay(50, undefined, options.signal && { signal: options.signal })
  }
}

async function place(path: string, content: string): Promise<boolean> {
  const draft = `${path}.${randomUUID()}`
  await writeFile(draft, content, { mode: 0o600 })
  try {
    await link(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    await rm(draft, { force: true })
  }
}

/** Removes the file if its content is still `stale`; another process may have replaced it. */
async function takeAway(path: string, stale: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`
  try {
    await rename(path, aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  if ((await readFile(aside, 'utf8')) !== stale) await link(aside, path).catch(() => {})
  await rm(aside, { force: true })
}

async function unlock(path: string, own: string): Promise<void> {
  if ((await readFile(path, 'utf8').catch(() => undefined)) === own) await rm(path, { force: true })
}

function parseHolder(text: string): ProcessIdentity | undefined {
  try {
    const { pid, startedAt } = JSON.parse(text) as Partial<ProcessIdentity>
    return pid === undefined || startedAt === undefined ? undefined : { pid, startedAt }
  } catch {
    return undefined
  }
}
