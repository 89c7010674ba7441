import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate, openPool, type Pool } from '../../src/store/index.ts'
import { startPostgres } from '../../tools/postgres/postgres.ts'
import { bundle } from '../../tools/release/bundle.ts'
import { Measured } from '../process.ts'

const WORKING_WITHIN_MS = 60_000
/** What deploy/Dockerfile sets for the memory of processes. */
const AS_IN_IMAGE = { NODE_OPTIONS: '--max-semi-space-size=4', MALLOC_ARENA_MAX: '2' }
const BENCH = join(import.meta.dirname, '..')
const RESULTS = join(BENCH, 'results')

/** Where one peer is measured. */
export interface Place {
  readonly dir: string
  readonly pool: Pool
  /** Runs a program of bench/ until the end, and waits until it works. */
  readonly start: (program: string, env?: Readonly<Record<string, string>>) => Promise<Measured>
}

/** A program as a release has it. */
async function bundled(program: string): Promise<string> {
  await bundle({ programs: { [program]: join(BENCH, `${program}.ts`) }, dir: RESULTS })
  return join(RESULTS, `${program}.mjs`)
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
        const command = [process.execPath, await bundled(program)]
        const environment = { DATABASE_URL: postgres.url, ...AS_IN_IMAGE, ...env }
        const measured = new Measured(command, environment, join(dir, 'worker.log'))
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
