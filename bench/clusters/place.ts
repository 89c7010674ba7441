import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate, openPool, type Pool } from '../../src/store/index.ts'
import { startPostgres } from '../../tools/postgres/postgres.ts'
import { Measured } from '../process.ts'

const WORKING_WITHIN_MS = 60_000

/** Where one peer is measured. */
export interface Place {
  readonly dir: string
  readonly pool: Pool
  /** Runs a program below bench/ until the end, and waits until it works. */
  readonly start: (program: string, env?: Readonly<Record<string, string>>) => Promise<Measured>
}

/** Runs `work` with a PostgreSQL of its own, with its default durability. */
export async function onDatabase(work: (place: Place) => Promise<void>): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'caelus-bench-'))
  const postgres = await startPostgres({ durable: true })
  await migrate(postgres.url)
  const pool = openPool({ url: postgres.url, applicationName: 'bench' })
  const started: Measured[] = []
  try {
    await work({
      dir,
      pool,
      async start(program, env = {}) {
        const command = [process.execPath, join(import.meta.dirname, '..', program)]
        const measured = new Measured(command, { DATABASE_URL: postgres.url, ...env }, join(dir, 'worker.log'))
        started.push(measured)
        await measured.line('working', WORKING_WITHIN_MS)
        return measured
      },
    })
  } finally {
    await Promise.all(started.map((program) => program.stop()))
    await pool.end()
    await postgres.stop()
    rmSync(dir, { recursive: true, force: true })
  }
}
