import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { asUser, PostgresQueue, ROLES, type Actor, type Pool } from '../../src/store/index.ts'
import { freshDatabase, onServer, type TestDatabase } from '../support/postgres.ts'

/** Columns that name whose row it is. */
const TENANT_COLUMNS = ['tenant', 'tenant_id', 'user_id', 'organization_id', 'owner_id']

interface Table {
  readonly name: string
  readonly secured: boolean
  readonly policies: number
  readonly hasTenant: boolean
}

const TABLES = `
  select format('%s.%s', n.nspname, c.relname) as name, c.relrowsecurity as secured,
    (select count(*)::int from pg_policy where polrelid = c.oid) as policies,
    exists (
      select from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped and attname = any ($1)
    ) as "hasTenant"
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
  order by 1`

const tablesOf = (pool: Pool): Promise<Table[]> => pool.query<Table>(TABLES, [TENANT_COLUMNS])

const unprotected = (tables: readonly Table[]): string[] =>
  tables.filter(({ hasTenant, secured, policies }) => hasTenant && !(secured && policies > 0)).map(({ name }) => name)

test('every table with a tenant has row level security and a policy', async () => {
  await using database = await freshDatabase()
  expect(unprotected(await tablesOf(database.pool))).toEqual([])
  await database.pool.query('create table caelus.forgotten (id int, organization_id uuid)')
  await database.pool.query('create table caelus.without_policy (id int, tenant text)')
  await database.pool.query('alter table caelus.without_policy enable row level security')
  expect(unprotected(await tablesOf(database.pool))).toEqual(['caelus.forgotten', 'caelus.without_policy'])
})

/** What would let the API or a worker past the policies, whatever table it is about. */
const LOOPHOLES = `
  with ours as (select oid from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema')
  select 'function ' || oid::regprocedure || ' runs as its owner and has no fixed search_path' as found
  from pg_proc where pronamespace in (select oid from ours) and prosecdef
    and not coalesce(proconfig @> array['search_path=pg_catalog, pg_temp'], false)
  union all
  select 'function ' || oid::regprocedure || ' runs as its owner for everyone'
  from pg_proc where pronamespace in (select oid from ours) and prosecdef and has_function_privilege('public', oid, 'execute')
  union all
  select 'view ' || oid::regclass || ' reads as its owner'
  from pg_class where relnamespace in (select oid from ours) and relkind in ('v', 'm')
    and not coalesce(reloptions @> array['security_invoker=true'], false)
  union all
  select 'relation ' || oid::regclass || ' is granted to everyone'
  from pg_class, aclexplode(relacl) acl where relnamespace in (select oid from ours) and acl.grantee = 0
  union all
  select 'table ' || conrelid::regclass || ' refers to ' || confrelid::regclass || ' and has no row level security'
  from pg_constraint join pg_class c on c.oid = conrelid join pg_class f on f.oid = confrelid
  where contype = 'f' and f.relrowsecurity and not c.relrowsecurity
  union all
  select 'role ' || rolname || ' is more than a group of grants'
  from pg_roles r where rolname = any ($1) and (
    rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication or rolcanlogin
    or exists (select from pg_auth_members m where m.member = r.oid)
    or exists (select from pg_shdepend s where s.refclassid = 'pg_authid'::regclass and s.refobjid = r.oid and s.deptype = 'o'))
  order by 1`

test('no function, view, grant or role leads past the policies', async () => {
  await using database = await freshDatabase()
  const { pool } = database
  const loopholes = async (): Promise<string[]> =>
    (await pool.query<{ found: string }>(LOOPHOLES, [ROLES])).map(({ found }) => found)
  expect(await loopholes()).toEqual([])
  for (const statement of [
    'create function caelus.hole() returns int language sql security definer return 1',
    'create view caelus.hole_view as select * from caelus.job',
    'create table caelus.hole_table (id int, deployment uuid references caelus.deployment (id))',
    'grant select on caelus.hole_table to public',
  ]) {
    await pool.query(statement)
  }
  expect(await loopholes()).toEqual([
    'function caelus.hole() runs as its owner and has no fixed search_path',
    'function caelus.hole() runs as its owner for everyone',
    'relation caelus.hole_table is granted to everyone',
    'table caelus.hole_table refers to caelus.deployment and has no row level security',
    'view caelus.hole_view reads as its owner',
  ])
})

test('docs/database.md lists every table and whether it has row level security', async () => {
  await using database = await freshDatabase()
  const text = readFileSync(new URL('../../docs/database.md', import.meta.url), 'utf8')
  const listed = [...text.matchAll(/^\| `((?:caelus|tenant)\.\w+)` \| (yes|no) \| \S.* \|$/gm)].map(
    ([, name, secured]) => ({ name, secured: secured === 'yes' }),
  )
  expect(listed).toEqual((await tablesOf(database.pool)).map(({ name, secured }) => ({ name, secured })))
})

interface World extends AsyncDisposable {
  readonly database: TestDatabase
  readonly ann: Actor
  readonly bob: Actor
  readonly annId: string
}

/** Two users with one row each in every table that has a tenant, and one row of the platform. */
async function world(): Promise<World> {
  const database = await freshDatabase()
  const { pool } = database
  const rows = await pool.query<{ id: string }>(
    `insert into caelus.user (email) values ('ann@example.org'), ('bob@example.org') returning id`,
  )
  const [annId = '', bobId = ''] = rows.map(({ id }) => id)
  const users = [annId, bobId]
  for (const [n, tenant] of [...users, ''].entries()) {
    await pool.query(
      `insert into caelus.job (queue, kind, id, tenant, reason, due_at) values ('apps', 'Deployment', $1, $2, 'created', now())`,
      [`d${n}`, tenant],
    )
    await pool.query(
      `insert into caelus.job_history (fence, number, queue, kind, id, tenant, reason, attempt, worker, woken_at, claimed_at)
       values ($1, $1, 'apps', 'Deployment', $2, $3, 'created', 0, 'w', now(), now())`,
      [n, `d${n}`, tenant],
    )
    await pool.query(
      `insert into caelus.decision (controller, kind, key_id, at, input, decision, tenant) values ('apps', 'Deployment', $1, now(), '{}', '{}', $2)`,
      [`d${n}`, tenant === '' ? null : tenant],
    )
    await pool.query(
      `insert into caelus.audit (actor, action, object_kind, object_id, tenant) values ('platform', 'created', 'Deployment', $1, $2)`,
      [`d${n}`, tenant === '' ? null : tenant],
    )
    await pool.query(
      `insert into caelus.frozen_tenant (queue, tenant, frozen_by, why) values ('apps', $1, 'root', 'x')`,
      [tenant],
    )
  }
  return {
    database,
    annId,
    ann: { userId: annId, admin: false },
    bob: { userId: bobId, admin: false },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

const SHARED = [
  'caelus.job',
  'caelus.job_history',
  'caelus.decision',
  'caelus.audit',
  'caelus.frozen_tenant',
  'caelus.open_reconcile_job',
  'caelus.done_reconcile_job',
]

test('a caller sees the rows of their own tenant, an admin all, and a session without a caller none', async () => {
  await using w = await world()
  const api = w.database.openPool({ role: 'caelus_api' })
  const count = async (actor: Actor | undefined, table: string): Promise<number> => {
    const query = `select count(*)::int as n from ${table}`
    const [row] =
      actor === undefined
        ? await api.query<{ n: number }>(query)
        : await asUser(api, actor, (tx) => tx.query<{ n: number }>(query))
    return row?.n ?? -1
  }
  for (const table of SHARED) {
    const seen = [
      await count(w.ann, table),
      await count(w.bob, table),
      await count({ admin: true }, table),
      await count({ admin: false }, table),
      await count(undefined, table),
    ]
    expect([table, ...seen]).toEqual([table, 1, 1, 3, 0, 0])
  }
})

const changed = (w: World, actor: Actor, statement: string): Promise<number> =>
  asUser(w.database.pool, actor, async (tx) => (await tx.query(`${statement} returning 1`)).length)

const wakeAs = (w: World, actor: Actor, ...tenants: string[]): Promise<unknown> =>
  asUser(w.database.pool, actor, (tx) =>
    tx.query(`select caelus.wake_all('apps', $1, $1, $2, $3, $4, true)`, [
      tenants.map((_, n) => `new${n}`),
      tenants,
      tenants.map(() => 'changed'),
      tenants.map(() => 0),
    ]),
  )

test('a caller wakes a key of their object, whatever tenant the key had before', async () => {
  await using w = await world()
  const worker = w.database.openPool({ role: 'caelus_worker' })
  for (const actor of [w.ann, { admin: true }]) {
    for (const before of ['', w.bob.userId, 'somebody']) {
      await worker.query(`select caelus.wake('apps', 'new0', 'new0', $1, 'childChanged')`, [before])
      await wakeAs(w, actor, w.annId)
      const job = `delete from caelus.job where id = 'new0' returning tenant, reason`
      expect(await worker.query(job)).toEqual([{ tenant: w.annId, reason: 'changed' }])
    }
  }
  await expect(wakeAs(w, w.ann, w.annId, w.bob.userId ?? '')).rejects.toMatchObject({ code: '42501' })
  expect(await worker.query(`select from caelus.job where id = 'new0'`)).toEqual([])
})

test('a caller cannot wake, freeze or audit in the name of another', async () => {
  await using w = await world()
  const refused = 'row-level security'
  await wakeAs(w, w.ann, w.annId)
  for (const tenant of [w.annId, '']) {
    await expect(wakeAs(w, w.bob, tenant)).rejects.toMatchObject({
      code: '42501',
      message: `permission denied to wake keys of tenants {${tenant || '""'}}`,
    })
  }
  await expect(wakeAs(w, { admin: false }, w.annId)).rejects.toMatchObject({ code: '42501' })
  const own = `insert into caelus.job (queue, kind, id, tenant, reason, due_at) values ('x', 'y', 'z', '${w.bob.userId}', 'drift', now())`
  await expect(changed(w, w.bob, own)).rejects.toThrow('permission denied')
  expect(await changed(w, w.bob, `update caelus.job set due_at = 'infinity'`)).toBe(1)
  expect(await changed(w, w.bob, `delete from caelus.frozen_tenant`)).toBe(0)
  await expect(
    changed(w, w.bob, `insert into caelus.frozen_tenant (queue, tenant, frozen_by, why) values ('x', 'y', 'bob', 'z')`),
  ).rejects.toThrow(refused)
  const audit = (actor: string): string =>
    `insert into caelus.audit (actor, action, object_kind, object_id) values ('${actor}', 'created', 'User', 'x')`
  await expect(changed(w, w.bob, audit(w.annId))).rejects.toThrow(refused)
  expect(await changed(w, w.bob, audit(w.bob.userId ?? ''))).toBe(1)
})

test('a worker serves all tenants and has no access to tokens and the audit', async () => {
  await using w = await world()
  const worker = w.database.openPool({ role: 'caelus_worker' })
  for (const table of SHARED.filter((name) => name !== 'caelus.audit')) {
    expect([table, await worker.query(`select from ${table}`)]).toEqual([table, [{}, {}, {}]])
  }
  for (const statement of [
    'select from caelus.audit',
    'select from caelus.api_token',
    'select subject from caelus.user',
    'delete from caelus.frozen_tenant',
    'update caelus.deployment set user_values_json = null',
  ]) {
    await expect(worker.query(statement), statement).rejects.toThrow('permission denied')
  }
})

test('the plan of a claim is the same for the role of workers and for the owner of the table', async () => {
  await using database = await freshDatabase()
  const pool = database.openQueuePool({ max: 1 })
  const queue = new PostgresQueue({ pool, name: 'things' })
  await queue.claim('w', 5)
  queue.close()
  const [claim] = await pool.query<{ statement: string }>(
    'select statement from pg_prepared_statements where statement like $1',
    ['%update caelus.job j set%skip locked%'],
  )
  const planAs = (role: string): Promise<string[]> =>
    onServer(database.url, async (client) => {
      await client.query(`set enable_seqscan = off; set enable_bitmapscan = off; set role ${role}`)
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(
        `explain (generic_plan, costs off) ${claim?.statement}`,
      )
      return rows.map((row) => row['QUERY PLAN'])
    })
  const owner = await planAs('none')
  expect(owner.join('\n')).toContain('job_line')
  expect(await planAs('caelus_worker')).toEqual(owner)
})
