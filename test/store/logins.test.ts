import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { failureOf } from '../../src/kernel/index.ts'
import {
  asUser,
  createLogins,
  migrate,
  openPool,
  PostgresQueue,
  ROLES,
  urlWithLogin,
  type DatabaseLogin,
  type Role,
} from '../../src/store/index.ts'
import { ensureRoles } from '../../src/store/roles.ts'
import { emptyDatabase, freshDatabase, onServer } from '../support/postgres.ts'

const refusals = (url: string, statements: readonly string[]): Promise<string[]> =>
  onServer(url, async (client) => {
    const allowed: string[] = []
    for (const statement of statements) {
      const done = await client.query(statement).then(
        () => true,
        (error: { code?: string }) => {
          if (error.code !== '42501') throw error
          return false
        },
      )
      if (done) allowed.push(statement)
    }
    return allowed
  })

const OWNERS_WORK = [
  'create table caelus.mine (id int)',
  'create table public.mine (id int)',
  'create schema mine',
  'create role mine',
  'alter table caelus.job add column mine int',
  'alter table caelus.job disable row level security',
  'drop policy api_reads_own on caelus.job',
  'drop table caelus.audit',
  'truncate caelus.job',
  'select from caelus.migration',
  'set role postgres',
  'set session authorization postgres',
]

test('a login owns nothing, creates nothing, and cannot become the owner or the other role', async () => {
  await using database = await freshDatabase()
  expect(await refusals(database.urlOf('caelus_api'), [...OWNERS_WORK, 'set role caelus_worker'])).toEqual([])
  expect(await refusals(database.urlOf('caelus_worker'), [...OWNERS_WORK, 'set role caelus_api'])).toEqual([])
})

test('the login of the API reads no row of a tenant without a caller', async () => {
  await using database = await freshDatabase()
  const [ann] = await database.pool.query<{ id: string }>(
    `insert into caelus.user (email) values ('ann@example.org') returning id`,
  )
  await database.pool.query(`select caelus.wake('apps', 'Deployment', 'x', $1, 'created')`, [ann?.id])
  // Without a group role: rights are inherited, and so are the policies.
  const pool = openPool({ url: database.urlOf('caelus_api'), applicationName: 'test' })
  try {
    for (const table of ['caelus.user', 'caelus.job', 'caelus.open_reconcile_job']) {
      expect([table, await pool.query(`select from ${table}`)]).toEqual([table, []])
    }
    const own = { userId: ann?.id ?? '', admin: false }
    expect(await asUser(pool, own, (tx) => tx.query('select from caelus.job'))).toHaveLength(1)
  } finally {
    await pool.end()
  }
})

test('the login of workers serves the queue, and reads neither tokens nor logins', async () => {
  await using database = await freshDatabase()
  const queue = new PostgresQueue({ pool: database.openQueuePool({ role: 'caelus_worker' }), name: 'things' })
  await queue.wake({ kind: 'Thing', id: 'a' }, { reason: 'created', tenant: 'ann' })
  const [claim] = await queue.claim('w', 1)
  expect(claim && (await queue.finish(claim, { then: 'forget' }))).toBe(true)
  queue.close()
  const secrets = [
    'select from caelus.api_token',
    `select caelus.find_token('x')`,
    'select subject from caelus.user',
    'select response_body from caelus.idempotency_key',
    'insert into caelus.frozen_tenant (queue, tenant, frozen_by, why) values (1, 1, 1, 1)',
    `select * from caelus.sign_in('a', 'b', true)`,
  ]
  expect(await refusals(database.urlOf('caelus_worker'), secrets)).toEqual([])
})

test('a login wakes keys with the rights of its group role, also if it does not set that role', async () => {
  await using database = await freshDatabase()
  const wake = `select caelus.wake('things', 'Thing', 'a', 'ann', 'drift')`
  expect(await refusals(database.urlOf('caelus_worker'), [wake])).toEqual([wake])
  expect(await refusals(database.urlOf('caelus_api'), [wake])).toEqual([])
})

test('a command whose login lacks the role names it and the next step', async () => {
  await using database = await freshDatabase()
  const pool = openPool({ url: database.urlOf('caelus_worker'), applicationName: 'test', role: 'caelus_api' })
  try {
    const failure = await pool.query('select 1').catch(failureOf)
    expect(failure).toMatchObject({ code: 'LoginLacksRole', message: expect.stringContaining('caelus_api') })
  } finally {
    await pool.end()
  }
})

interface Made extends AsyncDisposable {
  readonly url: string
  login(role: Role, password?: string): DatabaseLogin
}

/** A migrated database, and logins that are removed with it. */
async function made(): Promise<Made> {
  const database = await emptyDatabase()
  await migrate(database.url)
  const name = `login_${randomBytes(4).toString('hex')}`
  return {
    url: database.url,
    login: (role, password) => ({ name, role, ...(password !== undefined && { password }) }),
    async [Symbol.asyncDispose]() {
      await onServer(database.url, (client) => client.query(`drop owned by ${name}; drop role ${name}`))
      await database[Symbol.asyncDispose]()
    },
  }
}

const canConnect = async (url: string): Promise<boolean> => {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  return await client.connect().then(
    async () => {
      await client.end()
      return true
    },
    () => false,
  )
}

test('a login is created once, and creating it again changes its password', async () => {
  await using w = await made()
  const [first, second] = [w.login('caelus_api', 'first-p@ss'), w.login('caelus_api', 'second')]
  await createLogins(w.url, [first])
  expect(await canConnect(urlWithLogin(w.url, first))).toBe(true)
  await Promise.all([createLogins(w.url, [second]), createLogins(w.url, [second])])
  expect(await canConnect(urlWithLogin(w.url, second))).toBe(true)
  expect(await canConnect(urlWithLogin(w.url, first))).toBe(false)
})

test.each([
  ['has createdb', (name: string) => `create role ${name} login createdb`],
  ['has bypassrls, replication', (name: string) => `create role ${name} login bypassrls replication`],
  [
    'owns table hers',
    (name: string) => `create role ${name} login; create table hers (id int); alter table hers owner to ${name}`,
  ],
  ['owns schema hers', (name: string) => `create role ${name} login; create schema hers authorization ${name}`],
  ['is a member of caelus_worker', (name: string) => `create role ${name} login; grant caelus_worker to ${name}`],
  [
    'is a member of caelus_api with admin option',
    (name: string) => `create role ${name} login; grant caelus_api to ${name} with admin option`,
  ],
  [
    'has rights to table caelus.job',
    (name: string) => `create role ${name} login; grant truncate on caelus.job to ${name}`,
  ],
  [
    'has the settings caelus.is_admin=true',
    (name: string) => `create role ${name} login; alter role ${name} set caelus.is_admin = 'true'`,
  ],
])('an existing role that %s is refused as a login', async (why, statements) => {
  await using w = await made()
  const login = w.login('caelus_api', 'secret-of-test')
  await onServer(w.url, (client) => client.query(statements(login.name)))
  const failure = await createLogins(w.url, [login]).catch(failureOf)
  expect(failure).toMatchObject({ code: 'LoginTooPowerful', message: `role ${login.name} exists and ${why}` })
})

test('a migrator that created the group roles without being a superuser can set them', async () => {
  await using w = await made()
  const migrator = { ...w.login('caelus_api', 'secret-of-test') }
  // What PostgreSQL grants to a role with createrole that creates another role.
  const asCreator = 'with admin option, inherit false, set false'
  await onServer(w.url, (client) =>
    client.query(`
      create role ${migrator.name} login createrole password '${migrator.password}';
      grant caelus_api, caelus_worker to ${migrator.name} ${asCreator}`),
  )
  await onServer(urlWithLogin(w.url, migrator), async (client) => {
    await expect(client.query('set role caelus_api')).rejects.toThrow('permission denied to set role')
    await ensureRoles(client)
    for (const role of ROLES) await client.query(`set role ${role}`)
  })
})
