import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Client } from 'pg'
import { messageOf } from '../kernel/index.ts'
import { classify, raise } from './failures.ts'
import { SINGLE_CONNECTION } from './pool.ts'
import { ensureRoles } from './roles.ts'

export interface Migration {
  /** The file name without its extension: `0002-queue`. Migrations run in the order of the numbers. */
  readonly name: string
  readonly sql: string
  readonly checksum: string
}

/** First line of a file whose statements cannot run in a transaction (`create index concurrently`). */
const NO_TRANSACTION = '-- no transaction'

/** One migration at a time per database. The number is arbitrary and must never change. */
const LOCK = 4_720_335

const MIGRATIONS = join(import.meta.dirname, 'migrations')

/**
 * The migrations of a folder, in order. Two files with the same number are refused: their order would be
 * undefined.
 */
export async function readMigrations(folder = MIGRATIONS): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).toSorted()
  const migrations = await Promise.all(
    files.map(async (file) => {
      const sql = await readFile(join(folder, file), 'utf8')
      return { name: basename(file, '.sql'), sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
  migrations.forEach(({ name }, i) => {
    if (!/^\d{4}-[a-z0-9-]+$/.test(name)) throw refuse(name, 'must be called like 0007-what-it-adds.sql')
    if (i > 0 && numberOf(name) === numberOf(migrations[i - 1]?.name))
      throw refuse(name, 'shares its number with another')
  })
  return migrations
}

/**
 * Brings a database to the newest schema. Returns the names of the migrations that ran.
 *
 * Each migration commits together with its row in `caelus.migration`. A database that ran a migration that is
 * unknown or was edited since is refused with a message that names it. Safe to call from many processes at
 * once.
 */
export async function migrate(url: string, migrations?: readonly Migration[]): Promise<string[]> {
  const known = migrations ?? (await readMigrations())
  const client = new Client({
    connectionString: url,
    application_name: 'caelus migrate',
    lock_timeout: 60_000,
    ...SINGLE_CONNECTION,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select pg_advisory_lock($1)', [LOCK])
    await ensureRoles(client)
    await client.query(BOOKKEEPING)
    const { rows } = await client.query<Applied>('select name, checksum from caelus.migration order by name')
    const pending = pendingOf(known, rows)
    for (const migration of pending) await apply(client, migration)
    return pending.map(({ name }) => name)
  } catch (error) {
    throw classify(error)
  } finally {
    await client.end().catch(() => {})
  }
}

type Applied = Pick<Migration, 'name' | 'checksum'>

const BOOKKEEPING = `
  create schema if not exists caelus;
  grant usage on schema caelus to caelus_api, caelus_worker;
  create table if not exists caelus.migration (
    name text primary key,
    checksum text not null,
    applied_at timestamptz not null default now()
  )`

const REMEMBER = 'insert into caelus.migration (name, checksum) values ($1, $2)'

/** The migrations still to run. Pure, so that every refusal can be tested without a database. */
export function pendingOf(known: readonly Migration[], applied: readonly Applied[]): Migration[] {
  const files = new Map(known.map((migration) => [migration.name, migration]))
  for (const { name, checksum } of applied) {
    const file = files.get(name)
    if (file === undefined)
      throw refuse(name, 'has run in this database but is not known to this version, which may be too old')
    if (file.checksum !== checksum)
      throw refuse(name, 'was edited after it ran in this database: put the change into a new migration')
  }
  const done = new Set(applied.map(({ name }) => name))
  const last = numberOf(applied.at(-1)?.name)
  const pending = known.filter(({ name }) => !done.has(name))
  const late = pending.find(({ name }) => numberOf(name) <= last)
  if (late)
    throw refuse(late.name, `comes before ${applied.at(-1)?.name}, which has already run: give it a higher number`)
  return pending
}

async function apply(client: Client, { name, sql, checksum }: Migration): Promise<void> {
  try {
    if (sql.startsWith(NO_TRANSACTION)) {
      for (const statement of sql.split(/;\s*$/m)) if (statement.trim() !== '') await client.query(statement)
      await client.query(REMEMBER, [name, checksum])
      return
    }
    await client.query('begin')
    await client.query(sql)
    await client.query(REMEMBER, [name, checksum])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw new Error(`failed to run migration ${name}: ${messageOf(error)}`, { cause: error })
  }
}

const numberOf = (name = ''): number => Number(name.slice(0, 4))

const refuse = (name: string, why: string): Error => raise.MigrationRefused(`migration ${name} ${why}`)
