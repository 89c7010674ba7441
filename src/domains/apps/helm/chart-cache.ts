import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { digestOf } from './chart-archive.ts'

export interface ChartCacheOptions {
  readonly dir: string
  /** What all archives together may take; the ones used longest ago go first. @default 512 MiB */
  readonly maxBytes?: number
}

/** A caller may be about to open an archive that it received, so it is kept for a while whatever its size. */
const KEEP_MS = 10 * 60_000
/** A draft as old as this was left by a process that died. */
const STALE_DRAFT_MS = 60 * 60_000

/**
 * Archives by digest. Files get their name only when they are complete, and their content is checked against it when
 * read: any number of processes may share the folder, and one that dies leaves nothing that could be mistaken.
 */
export class ChartCache {
  readonly #dir: string
  readonly #maxBytes: number

  constructor({ dir, maxBytes = 512 * 1024 ** 2 }: ChartCacheOptions) {
    this.#dir = dir
    this.#maxBytes = maxBytes
  }

  path(digest: string): string {
    return join(this.#dir, `${digest.replace(':', '-')}.tgz`)
  }

  /** The archive, marked as used; `undefined` when it is not here or not what its name says. */
  async get(digest: string): Promise<Buffer | undefined> {
    const path = this.path(digest)
    const archive = await readFile(path).catch(ifAbsent)
    if (archive === undefined) return undefined
    if (digestOf(archive) !== digest) {
      await rm(path, { force: true })
      return undefined
    }
    const now = new Date()
    await utimes(path, now, now).catch(ifAbsent)
    return archive
  }

  async put(archive: Buffer): Promise<string> {
    const digest = digestOf(archive)
    await this.#write(this.path(digest), archive)
    await this.#prune()
    return digest
  }

  /** What the signer of an archive said about it, if that was kept. Whoever uses it verifies it. */
  provenance(digest: string): Promise<Buffer | undefined> {
    return readFile(`${this.path(digest)}.prov`).catch(ifAbsent)
  }

  async putProvenance(digest: string, provenance: Buffer): Promise<void> {
    await this.#write(`${this.path(digest)}.prov`, provenance)
  }

  async #write(path: string, content: Buffer): Promise<void> {
    await mkdir(this.#dir, { recursive: true, mode: 0o700 })
    const draft = join(this.#dir, `${randomUUID()}.draft`)
    try {
      await writeFile(draft, content, { mode: 0o600, flush: true })
      await rename(draft, path)
    } finally {
      await rm(draft, { force: true })
    }
  }

  async #prune(): Promise<void> {
    const entries = await Promise.all((await readdir(this.#dir)).map((name) => this.#look(name)))
    const files = entries.filter((entry) => entry !== undefined).toSorted((a, b) => b.usedAt - a.usedAt)
    const now = Date.now()
    let total = 0
    for (const { path, size, usedAt, isDraft } of files) {
      total += size
      const isOld = isDraft ? now - usedAt > STALE_DRAFT_MS : total > this.#maxBytes && now - usedAt > KEEP_MS
      if (isOld) await Promise.all([path, `${path}.prov`].map((one) => rm(one, { force: true })))
    }
  }

  async #look(name: string): Promise<{ path: string; size: number; usedAt: number; isDraft: boolean } | undefined> {
    const path = join(this.#dir, name)
    const stats = await stat(path).catch(ifAbsent)
    if (stats === undefined || !/\.(?:tgz|draft)$/.test(name)) return undefined
    return { path, size: stats.size, usedAt: stats.mtimeMs, isDraft: name.endsWith('.draft') }
  }
}

function ifAbsent(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
  throw error
}
