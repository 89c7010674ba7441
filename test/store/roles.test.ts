import { expect, test } from 'vitest'
import { asUser, type Actor } from '../../src/store/index.ts'
import { freshDatabase, type TestDatabase } from '../support/postgres.ts'

interface World extends AsyncDisposable {
  readonly database: TestDatabase
  readonly ann: string
  readonly bob: string
  visibleTo(actor: Actor): Promise<string[]>
}

async function world(): Promise<World> {
  const database = await freshDatabase()
  const rows = await database.pool.query<{ id: string }>(
    `insert into caelus.user (email) values ('ann@example.org'), ('bob@example.org') returning id`,
  )
  const [ann = '', bob = ''] = rows.map(({ id }) => id)
  return {
    database,
    ann,
    bob,
    visibleTo: (actor) =>
      asUser(database.pool, actor, async (tx) =>
        (await tx.query<{ email: string }>('select email from caelus.user order by email')).map(({ email }) => email),
      ),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

test('the API sees the caller’s own row, and all rows for an admin', async () => {
  await using w = await world()
  expect(await w.visibleTo({ userId: w.ann, admin: false })).toEqual(['ann@example.org'])
  expect(await w.visibleTo({ userId: w.ann, admin: true })).toEqual(['ann@example.org', 'bob@example.org'])
  expect(await w.visibleTo({ admin: false })).toEqual([])
})

test('role and caller end with their transaction', async () => {
  await using w = await world()
  const pool = w.database.openPool({ max: 1 })
  await asUser(pool, { userId: w.ann, admin: true }, (tx) => tx.query('select 1'))
  const [after] = await pool.query(
    `select current_user = session_user as same, current_setting('caelus.user_id', true) as id, current_setting('caelus.is_admin', true) as admin`,
  )
  expect(after).toEqual({ same: true, id: '', admin: '' })
})

test('a user cannot make anyone an admin, themselves included', async () => {
  await using w = await world()
  const changed = await asUser(w.database.pool, { userId: w.ann, admin: false }, (tx) =>
    tx.query('update caelus.user set is_admin = true returning id'),
  )
  expect(changed).toEqual([])
  expect(await w.database.pool.query('select from caelus.user where is_admin')).toEqual([])
})

test('a user sees and makes only their own tokens', async () => {
  await using w = await world()
  const add = (caller: string, owner: string): Promise<unknown> =>
    asUser(w.database.pool, { userId: caller, admin: false }, (tx) =>
      tx.query(
        `insert into caelus.api_token (user_id, name, prefix, sha256) values ($1, 'laptop', 'cae_', sha256($2::bytea))`,
        [owner, Buffer.from(`${caller}${owner}`)],
      ),
    )
  await add(w.ann, w.ann)
  await expect(add(w.ann, w.bob)).rejects.toThrow('row-level security')
  const seen = await asUser(w.database.pool, { userId: w.bob, admin: false }, (tx) =>
    tx.query('select from caelus.api_token'),
  )
  expect(seen).toEqual([])
})

test('the worker reads users and cannot write them', async () => {
  await using w = await world()
  const worker = w.database.openPool({ role: 'caelus_worker' })
  expect(await worker.query('select from caelus.user')).toHaveLength(2)
  await expect(worker.query('update caelus.user set is_admin = true')).rejects.toThrow('permission denied')
  await expect(worker.query(`insert into caelus.user (email) values ('eve@example.org')`)).rejects.toThrow(
    'permission denied',
  )
  await expect(worker.query('select from caelus.api_token')).rejects.toThrow('permission denied')
})

test('an address exists once, however it is written', async () => {
  await using w = await world()
  await expect(w.database.pool.query(`insert into caelus.user (email) values ('Ann@Example.org')`)).rejects.toThrow(
    'user_email',
  )
})
