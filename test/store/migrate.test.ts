import { readFile, writeFile } from 'node:fs/promises'
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { migrate, readMigrations, ROLES, type Migration } from '../../src/store/index.ts'
import { emptyDatabase, onServer } from '../support/postgres.ts'
import { dumpSchema } from './schema-dump.ts'

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

const made = (name: string, sql: string): Migration => ({
  name,
  sql,
  checksum: digest(sql),
})

test('src/store/schema.sql is what the migrations make', async () => {
  await using database = await emptyDatabase()
  await migrate(database.url)
  const schema = await onServer(database.url, dumpSchema)
  const file = new URL('../../src/store/schema.sql', import.meta.url)
  if (process.env['UPDATE']) await writeFile(file, schema)
  expect(schema).toBe(await readFile(file, 'utf8'))
})

test('runs each migration once, also with concurrent processes', async () => {
  await using database = await emptyDatabase()
  const known = (await readMigrations()).map(({ name }) => name)
  const runs = await Promise.all(Array.from({ length: 4 }, () => migrate(database.url)))
  expect(runs.flat()).toEqual(known)
  expect(await migrate(database.url)).toEqual([])
})

test('several databases of one server migrate at once, though roles belong to all of them', async () => {
  const databases = await Promise.all(Array.from({ length: 4 }, () => emptyDatabase()))
  try {
    await Promise.all(databases.map(({ url }) => migrate(url)))
    const [first] = databases
    const { rowCount } = await onServer(first?.url ?? '', (client) =>
      client.query('select from pg_roles where rolname = any ($1)', [ROLES]),
    )
    expect(rowCount).toBe(ROLES.length)
  } finally {
    await Promise.all(databases.map((database) => database[Symbol.asyncDispose]()))
  }
})

test('a migration that fails leaves nothing behind and says which it was', async () => {
  await using database = await emptyDatabase()
  const broken = made('0001-broken', 'create table caelus.half (id int); select 1 / 0')
  await expect(migrate(database.url, [broken])).rejects.toThrow('failed to run migration 0001-broken: division by zero')
  const half = await onServer(database.url, (client) => client.query(`select to_regclass('caelus.half') as half`))
  expect(half.rows).toEqual([{ half: null }])
  expect(await migrate(database.url, [made('0001-broken', 'create table caelus.half (id int)')])).toEqual([
    '0001-broken',
  ])
})

test('a migration may run outside of a transaction, for indexes on living tables', async () => {
  await using database = await emptyDatabase()
  const table = made('0001-table', 'create table caelus.big (id int)')
  const index = made(
    '0002-index',
    '-- no transaction\ndrop index concurrently if exists caelus.big_id;\ncreate index concurrently big_id on caelus.big (id);\n',
  )
  expect(await migrate(database.url, [table, index])).toEqual(['0001-table', '0002-index'])
  const { rows } = await onServer(database.url, (client) =>
    client.query(`select indisvalid from pg_index where indexrelid = 'caelus.big_id'::regclass`),
  )
  expect(rows).toEqual([{ indisvalid: true }])
})

test('a database that ran something else than these files is left alone', async () => {
  await using database = await emptyDatabase()
  const [one, two] = [made('0001-one', 'create table caelus.one ()'), made('0002-two', 'create table caelus.two ()')]
  await migrate(database.url, [one, two])
  await expect(migrate(database.url, [one])).rejects.toThrow(
    'migration 0002-two has run in this database but is not known to this version, which may be too old',
  )
  await expect(migrate(database.url, [one, made('0002-two', 'create table caelus.other ()')])).rejects.toThrow(
    'migration 0002-two was edited after it ran in this database',
  )
})

/** The last migration of the released schema; later ones find rows of that version. */
const RELEASED = '0018-wake'

test('released migrations are never edited: databases that ran them would be refused', async () => {
  const released = (await readMigrations()).filter(({ name }) => name <= RELEASED)
  expect(digest(released.map(({ checksum }) => checksum).join()).slice(0, 16)).toBe('f8e7aa19bcbf2cb7')
})

test('a database of the released version is brought to the newest schema with its rows', async () => {
  await using database = await emptyDatabase()
  const known = await readMigrations()
  const released = known.filter(({ name }) => name <= RELEASED)
  await migrate(database.url, released)
  await onServer(database.url, (client) => client.query(ROWS_OF_RELEASE))
  expect(await migrate(database.url)).toEqual(known.slice(released.length).map(({ name }) => name))
  const read = async (table: string, columns: string): Promise<unknown[]> =>
    (await onServer(database.url, (client) => client.query(`select ${columns} from caelus.${table} order by 1`))).rows
  expect(await read('audit', 'action, object_kind, tenant')).toEqual([
    { action: 'created', object_kind: 'User', tenant: USER },
    { action: 'ordered', object_kind: 'Deployment', tenant: USER },
    { action: 'published', object_kind: 'Product', tenant: null },
  ])
  expect(await read('decision', 'controller, tenant, input, masked, repeats')).toEqual([
    { controller: 'apps', tenant: USER, input: { a: 1 }, masked: null, repeats: 0 },
    { controller: 'runtimes', tenant: null, input: { a: 1 }, masked: null, repeats: 0 },
  ])
  expect(await read('open_reconcile_job', 'deployment_id, reason, status')).toEqual([
    { deployment_id: DEPLOYMENT, reason: 'create', status: 'queued' },
  ])
  await expect(
    onServer(database.url, (client) => client.query(`update caelus.audit set action = 'x'`)),
  ).rejects.toThrow('only grows')
})

const USER = '00000000-0000-4000-8000-000000000001'
const DEPLOYMENT = '00000000-0000-4000-8000-000000000002'

const ROWS_OF_RELEASE = `
  insert into caelus.user (id, email) values ('${USER}', 'ann@example.org');
  with product as (insert into caelus.product (name) values ('shop') returning id),
  template as (
    insert into caelus.product_template_version (product_id, chart_ref, chart_version, default_values_json)
    select id, 'oci://charts.test/shop', '1.0.0', '{}' from product returning id
  )
  insert into caelus.deployment
    (id, deployment_uid, namespace_name, release_name, user_id, domainname, desired_template_id)
  select '${DEPLOYMENT}', 'shop-1', 'shop-1', 'shop-1', '${USER}', 'shop.test', id from template;
  insert into caelus.audit (actor, action, object_kind, object_id) values
    ('platform', 'created', 'User', '${USER}'), ('${USER}', 'ordered', 'Deployment', '${DEPLOYMENT}'),
    ('platform', 'published', 'Product', 'p');
  insert into caelus.decision (controller, kind, key_id, at, input, decision) values
    ('apps', 'Deployment', '${DEPLOYMENT}', now(), '{"a": 1}', '{}'), ('runtimes', 'ClassRuntime', 'x', now(), '{"a": 1}', '{}');
  select caelus.wake('apps', 'Deployment', '${DEPLOYMENT}', '${USER}', 'created')`
