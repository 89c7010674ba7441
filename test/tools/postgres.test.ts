import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startPostgres } from '../../tools/postgres/postgres.ts'
import type { PostgresOptions } from '../../tools/postgres/postgres.ts'
import { accountNamed, identify } from '../../tools/process/index.ts'
import { withClient } from './database.ts'
import { freshFolder } from './folder.ts'
import { runProgram } from './program.ts'

const start = async (options: PostgresOptions = {}) => {
  const postgres = await startPostgres(options)
  onTestFinished(() => postgres.stop())
  return postgres
}

/** A data directory that the server's account can reach even when we are root. */
const dataDirectory = async (): Promise<string> => {
  const folder = await freshFolder()
  await chmod(folder, 0o755)
  return join(folder, 'postgres')
}

test('what was committed is there after a restart', async () => {
  const dataDir = await dataDirectory()
  const first = await start({ dataDir })
  await withClient(first.url, (client) => client.query('create table kept as select 42 as answer'))
  await first.stop()
  const second = await start({ dataDir })
  const { rows } = await withClient(second.url, (client) => client.query('select answer from kept'))
  expect(rows).toEqual([{ answer: 42 }])
})

test('a connection without the password is refused', async () => {
  const { url } = await start()
  const wrong = url.replace(/:[^:@]+@/, ':wrong@')
  await expect(withClient(wrong, (client) => client.query('select 1'))).rejects.toThrow(
    'password authentication failed',
  )
})

test('a temporary server leaves neither process nor files', async () => {
  const postgres = await startPostgres()
  const directory = await withClient(postgres.url, (client) =>
    client.query('show data_directory').then(({ rows }) => rows[0].data_directory as string),
  )
  await postgres.stop()
  expect(identify(postgres.pid)).toBeUndefined()
  await expect(stat(directory)).rejects.toThrow('ENOENT')
})

test('a second owner of the same data is refused by name', async () => {
  const dataDir = await dataDirectory()
  await start({ dataDir })
  await expect(startPostgres({ dataDir })).rejects.toThrow(`in use by process ${process.pid}; stop it first`)
})

test('a lock file that names an unrelated process does not keep the server from starting', async () => {
  const dataDir = await dataDirectory()
  await (await start({ dataDir })).stop()
  const stale = join(dataDir, 'data/postmaster.pid')
  await writeFile(stale, `${process.ppid}\n${join(dataDir, 'data')}\n1\n5432\n\n127.0.0.1\n\nready\n`)
  const { pid } = await start({ dataDir })
  expect((await readFile(stale, 'utf8')).split('\n')[0]).toBe(String(pid))
  expect(identify(process.ppid)).toBeDefined()
})

test('an ordinary user runs it under the own name', async () => {
  const folder = await freshFolder()
  await chmod(folder, 0o777)
  const nobody = accountNamed('nobody')
  const lowered = process.getuid?.() === 0 && nobody !== undefined ? { uid: nobody.uid, gid: nobody.gid } : {}
  const { said } = await runProgram('own-postgres', [join(folder, 'postgres')], {
    ...lowered,
    env: { PATH: process.env['PATH'], HOME: folder },
  })
  expect(JSON.parse(said)).toEqual({ uid: lowered.uid ?? process.getuid?.(), user: 'postgres' })
})

test('a later start makes nothing anew', async () => {
  const dataDir = await dataDirectory()
  const birth = async (): Promise<number> => (await stat(join(dataDir, 'data/PG_VERSION'))).mtimeMs
  await (await start({ dataDir })).stop()
  const made = await birth()
  await start({ dataDir })
  expect(await birth()).toBe(made)
})
