import { createHash, randomBytes } from 'node:crypto'
import { Client, DatabaseError } from 'pg'
import { inject } from 'vitest'
import {
  createLogins,
  migrate,
  openPool,
  openQueuePool,
  readMigrations,
  ROLES,
  urlWithLogin,
  type Pool,
  type PoolOptions,
  type QueuePool,
  type QueuePoolOptions,
  type Role,
  type Runner,
} from '../../src/store/index.ts'

export interface TestDatabase extends AsyncDisposable {
  /** As superuser, who owns the tables. */
  readonly url: string
  readonly pool: Pool
  /** As a login that owns nothing and is a member of this role only. */
  urlOf(role: Role): string
  /** Further pools, ended with the database. With a `role` they use its login. */
  openPool(options?: Partial<PoolOptions>): Pool
  openQueuePool(options?: Partial<QueuePoolOptions>): QueuePool
}

/** How many statements on this database wait for a lock that another transaction holds. */
export const waitingForLocks = async (on: Runner): Promise<number> =>
  (await on.query(`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`))
    .length

/** A short pause of the machine must not fail a test. Tests of a deadline set it themselves. */
const PATIENT_LEASE_MS = 120_000
const PATIENT = { acquireTimeoutMs: 30_000, lockTimeoutMs: 30_000, idleInTransactionTimeoutMs: 60_000 }

/** A migrated database for one test on the server of this run, copied from a template. */
export async function freshDatabase(server = inject('postgresUrl')): Promise<TestDatabase> {
  const template = await templateOn(server)
  const name = `test_${randomBytes(8).toString('hex')}`
  await copyDatabase(server, name, template)
  const url = withDatabase(server, name)
  const { acquireTimeoutMs } = PATIENT
  const urlOf = (role: Role): string => urlWithLogin(url, loginFor(role))
  const urlFor = ({ role }: Partial<PoolOptions> = {}): string =>
    ROLES.some((known) => known === role) ? urlOf(role as Role) : url
  const pools: Pool[] = []
  const keep = <P extends Pool>(pool: P): P => {
    pools.push(pool)
    return pool
  }
  return {
    url,
    pool: keep(openPool({ url, applicationName: 'test', ...PATIENT })),
    urlOf,
    openPool: (options) => keep(openPool({ url: urlFor(options), applicationName: 'test', ...PATIENT, ...options })),
    // Without PATIENT: how long a queue waits for a row is a part of its behaviour.
    openQueuePool: (options) =>
      keep(
        openQueuePool({
          url: urlFor(options),
          applicationName: 'test queue',
          acquireTimeoutMs,
          leaseMs: PATIENT_LEASE_MS,
          ...options,
        }),
      ),
    async [Symbol.asyncDispose]() {
      await Promise.all(pools.map((pool) => pool.end()))
      await onServer(server, (client) => client.query(`drop database ${name} with (force)`))
    },
  }
}

/** Roles belong to the whole server, so that all databases share these logins. */
const loginFor = (role: Role) => ({ name: `${role}_login`, role, password: 'of-tests-only' }) as const

/** An empty database, for tests of the migrations. */
export async function emptyDatabase(
  server = inject('postgresUrl'),
): Promise<AsyncDisposable & { readonly url: string }> {
  const name = `test_${randomBytes(8).toString('hex')}`
  await copyDatabase(server, name, 'template1')
  return {
    url: withDatabase(server, name),
    async [Symbol.asyncDispose]() {
      await onServer(server, (client) => client.query(`drop database ${name} with (force)`))
    },
  }
}

/** Runs `work` on a connection that nothing else shares, as superuser. */
export async function onServer<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

export function withDatabase(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}

const templates = new Map<string, Promise<string>>()

/** The template on a server, created by the first caller of this or another process. */
function templateOn(server: string): Promise<string> {
  const template = templates.get(server) ?? createTemplate(server)
  templates.set(server, template)
  return template
}

/** Named after the migrations, so that a server that outlives a run never serves an old schema. */
async function createTemplate(server: string): Promise<string> {
  const migrations = await readMigrations()
  const digest = createHash('sha256').update(migrations.map(({ checksum }) => checksum).join())
  const name = `template_${digest.digest('hex').slice(0, 16)}`
  await onServer(server, async (client) => {
    await client.query('select pg_advisory_lock(hashtext($1))', [name])
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1 and datistemplate', [name])
    if (rowCount === 1) return
    await client.query(`drop database if exists ${name} with (force)`)
    await client.query(`create database ${name}`)
    await migrate(withDatabase(server, name), migrations)
    await createLogins(server, ROLES.map(loginFor))
    await client.query(`alter database ${name} is_template true`)
  })
  return name
}

/** A template cannot be copied while another connection to it is open, for example the one of another copy. */
async function copyDatabase(server: string, name: string, template: string): Promise<void> {
  await onServer(server, async (client) => {
    for (let attempt = 1; ; attempt++) {
      try {
        await client.query(`create database ${name} template ${template}`)
        return
      } catch (error) {
        const inUse = error instanceof DatabaseError && error.code === '55006'
        if (!inUse || attempt === 100) throw error
        await client.query('select pg_sleep(0.05)')
      }
    }
  })
}
