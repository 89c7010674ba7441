import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject } from 'vitest'
import { urlWithLogin } from '../../src/store/index.ts'
import { emptyDatabase } from '../support/postgres.ts'
import { caelus, printed, start, type Ended } from './caelus.ts'

export interface Installation extends AsyncDisposable {
  /** A folder of its own, for its data and for what a test writes. */
  readonly dir: string
  /** What an admin's command needs to find server, database and control plane. */
  readonly env: Record<string, string>
  /** The same with the database login of workers. */
  readonly workerEnv: Record<string, string>
  /** What a command of an admin printed; one that fails fails the test. */
  readonly run: (...args: string[]) => Promise<string>
  /** The same, read as JSON. */
  readonly json: <T>(...args: string[]) => Promise<T>
  /** A command that may fail. */
  readonly tried: (...args: string[]) => Promise<Ended>
}

/** Creates the logins of API and workers as an operator does. Answers their connection URLs. */
export async function databaseLogins(owner: string, dir: string): Promise<{ api: string; worker: string }> {
  const urlOf = (role: string): string => urlWithLogin(owner, { name: `${role}_login`, password: 'of-tests-only' })
  const urls = { api: urlOf('caelus_api'), worker: urlOf('caelus_worker') }
  const files = { api: join(dir, 'api-url'), worker: join(dir, 'worker-url') }
  await Promise.all([writeFile(files.api, `${urls.api}\n`), writeFile(files.worker, urls.worker)])
  const said = await printed(
    ['create-database-logins', '--api-url-file', files.api, '--worker-url-file', files.worker],
    { DATABASE_URL: owner },
  )
  expect(said).toBe('caelus_api_login may log in as caelus_api\ncaelus_worker_login may log in as caelus_worker\n')
  return urls
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
  const logins = await databaseLogins(own.DATABASE_URL, dir)
  const token = (await printed(['create-admin', 'ada@example.test'], own)).trim()
  const server = start(['api'], { ...own, DATABASE_URL: logins.api })
  const [, url = ''] = await server.says(/"url":"(http:[^"]+)"/)
  const env = { ...own, CAELUS_URL: url, CAELUS_TOKEN: token }
  const run = (...args: string[]): Promise<string> => printed(args, env)
  return {
    dir,
    env,
    workerEnv: { ...env, DATABASE_URL: logins.worker },
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
