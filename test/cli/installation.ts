import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { emptyDatabase } from '../support/postgres.ts'
import { caelus, printed, start, type Ended } from './caelus.ts'

export interface Installation extends AsyncDisposable {
  /** A folder of its own, for its data and for what a test writes. */
  readonly dir: string
  /** What an admin's command needs to find server, database and control plane. */
  readonly env: Record<string, string>
  /** What a command of an admin printed; one that fails fails the test. */
  readonly run: (...args: string[]) => Promise<string>
  /** The same, read as JSON. */
  readonly json: <T>(...args: string[]) => Promise<T>
  /** A command that may fail. */
  readonly tried: (...args: string[]) => Promise<Ended>
}

/** A migrated database, a server on it and the control plane of this run, and nobody who works on them yet. */
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
  await printed(['migrate'], own)
  const token = (await printed(['create-admin', 'ada@example.test'], own)).trim()
  const server = start(['api'], own)
  const [, url = ''] = await server.says(/"url":"(http:[^"]+)"/)
  const env = { ...own, CAELUS_URL: url, CAELUS_TOKEN: token }
  const run = (...args: string[]): Promise<string> => printed(args, env)
  return {
    dir,
    env,
    run,
    json: async <T>(...args: string[]): Promise<T> => JSON.parse(await run(...args, '-o', 'json')) as T,
    tried: (...args) => caelus(args, env),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
