import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { emptyDatabase } from '../support/postgres.ts'
import { caelus, start, type Ended } from './caelus.ts'

export interface Installation extends AsyncDisposable {
  /** A folder of its own, for its data and for what a test writes. */
  readonly dir: string
  /** What an admin's command needs to find server, database and cluster. */
  readonly env: Record<string, string>
  /** A command of an admin. */
  readonly run: (...args: string[]) => Promise<Ended>
  /** The same, with what it printed read as JSON; a command that fails fails the test. */
  readonly json: <T>(...args: string[]) => Promise<T>
}

/** A migrated database, a server on it and the cluster of this run, and nobody who works on them yet. */
export async function installation(settings: Record<string, string>): Promise<Installation> {
  const [database, dir] = await Promise.all([emptyDatabase(), mkdtemp(join(tmpdir(), 'caelus-cli-'))])
  const own = {
    DATABASE_URL: database.url,
    CAELUS_PORT: '0',
    CAELUS_LOG_FORMAT: 'json',
    CAELUS_DATA_DIR: dir,
    CAELUS_KUBECONFIG: inject('kubeconfig'),
    ...settings,
  }
  await caelus(['migrate'], own)
  const token = (await caelus(['create-admin', 'ada@example.test'], own)).out.trim()
  const server = start(['api'], own)
  const [, url = ''] = await server.says(/"url":"(http:[^"]+)"/)
  const env = { ...own, CAELUS_URL: url, CAELUS_TOKEN: token }
  const run = (...args: string[]): Promise<Ended> => caelus(args, env)
  return {
    dir,
    env,
    run,
    async json<T>(...args: string[]): Promise<T> {
      const { code, out, err } = await run(...args, '-o', 'json')
      if (code !== 0) throw new Error(`caelus ${args.join(' ')} ended with ${code}: ${err}`)
      return JSON.parse(out) as T
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
