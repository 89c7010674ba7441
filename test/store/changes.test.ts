import { expect, test } from 'vitest'
import { atEnd, startAll, type Service } from '../../src/kernel/index.ts'
import { CHANGES, listener, unsentChanges, type Pool, type Role, type RowChange } from '../../src/store/index.ts'
import { freshDatabase, type TestDatabase, waitingForLocks } from '../support/postgres.ts'

const STATES = ['pending', 'provisioning', 'ready', 'upgrading', 'error']

/** Deployments, and the notices about them. */
async function world(count: number, sending: (database: TestDatabase, hints: ReturnType<typeof listener>) => Service) {
  const database = await freshDatabase()
  const ids = (
    await database.pool.query<{ id: string }>(
      `with owner as (insert into caelus.user (email) values ('a@example.com') returning id),
        product as (insert into caelus.product (name) values ('p') returning id),
        template as (
          insert into caelus.product_template_version (product_id, chart_ref, chart_version, default_values_json)
          select id, 'r', '1', '{}' from product returning id
        )
      insert into caelus.deployment
        (deployment_uid, namespace_name, release_name, user_id, domainname, desired_template_id)
      select 'd' || n, 'd' || n, 'd' || n, owner.id, 'd' || n, template.id
      from owner, template, generate_series(1, $1::int) n returning id`,
      [count],
    )
  ).map(({ id }) => id)
  const hints = listener({ url: database.url, applicationName: 'changes' })
  const heard: RowChange[] = []
  hints.subscribe(CHANGES, (payload) => {
    if (payload !== undefined) heard.push(JSON.parse(payload) as RowChange)
  })
  await database.pool.query(SEND)
  const stop = await startAll([hints, sending(database, hints)])
  const set = (id: string, status: string): Promise<unknown> =>
    database.pool.query('update caelus.deployment set status = $2 where id = $1', [id, status])
  return {
    database,
    ids,
    heard,
    set,
    lastHeard: (): Map<string, unknown> => new Map(heard.map(({ id, columns }) => [id, columns['status']])),
    async [Symbol.asyncDispose]() {
      await stop()
      await database[Symbol.asyncDispose]()
    },
  }
}

const sent = (database: TestDatabase, hints: ReturnType<typeof listener>): Service =>
  unsentChanges({ pool: database.openPool({ role: 'caelus_api' }), listener: hints, everyMs: 100 })

/** Unsent changes are sent when the test asks for it. */
const byHand = (): Service => atEnd('nothing', () => {})
const SEND = 'select caelus.send_unsent_changes()'

const unsent = async ({ pool }: TestDatabase): Promise<number> =>
  (await pool.query('select from caelus.unsent_change')).length

test('in a burst few transactions notify, and every object is sent with its last state', async () => {
  await using w = await world(40, sent)
  for (const id of w.ids) await Promise.all(STATES.slice(1).map((status) => w.set(id, status)))
  const rows = await w.database.pool.query<{ id: string; status: string }>('select id, status from caelus.deployment')
  const last = new Map(rows.map(({ id, status }) => [id, status]))
  await expect.poll(() => w.lastHeard()).toEqual(last)
})

const openSession = (database: TestDatabase, quietMs: number, role?: Role): Pool =>
  database.openPool({
    max: 1,
    idleInTransactionTimeoutMs: 60_000,
    settings: { 'caelus.change_quiet_ms': String(quietMs) },
    ...(role && { role }),
  })

/** A session whose changes are all left unsent. */
const inABurst = (database: TestDatabase, role?: Role): Pool => openSession(database, 3_600_000, role)

/** A session whose changes are all sent at once. */
const atOnce = (database: TestDatabase): Pool => openSession(database, 0)

const SET = 'update caelus.deployment set status = $2 where id = $1'

test('a change whose transaction commits late is sent without a further change', async () => {
  await using w = await world(2, sent)
  const [late = '', other = ''] = w.ids
  const session = inABurst(w.database)
  await session.query('begin')
  await session.query(SET, [late, 'ready'])
  await w.set(other, 'error')
  await expect.poll(() => w.lastHeard().get(other)).toBe('error')
  await session.query('commit')
  await expect.poll(() => w.lastHeard().get(late)).toBe('ready')
})

test('a burst leaves changes that only the sender of unsent changes sends', async () => {
  await using w = await world(200, byHand)
  await inABurst(w.database).query(`update caelus.deployment set status = 'ready'`)
  expect(await unsent(w.database)).toBe(200)
  await w.database.pool.query(SEND)
  await expect.poll(() => w.lastHeard().size).toBe(200)
})

const CHANGES_OF = {
  deployment: `update caelus.deployment set status = case status when 'ready' then 'error' else 'ready' end`,
  product: `update caelus.product set icon = 'i'`,
}

test.each(Object.entries(CHANGES_OF))('an unsent change of a %s that is being changed stays', async (_, change) => {
  await using w = await world(1, byHand)
  const [one, other] = [inABurst(w.database), inABurst(w.database)]
  await one.query(change)
  expect(await unsent(w.database)).toBe(1)
  await other.query('begin')
  await other.query(change)
  await w.database.pool.query(SEND)
  await other.query('commit')
  expect(await unsent(w.database)).toBe(1)
  await w.database.pool.query(SEND)
  expect(await unsent(w.database)).toBe(0)
})

test('a change waits until an unsent one of its object has been sent, so that it is sent last', async () => {
  await using w = await world(1, byHand)
  const [id = ''] = w.ids
  const session = inABurst(w.database)
  await session.query(SET, [id, 'provisioning'])
  await session.query('begin')
  await session.query(SEND)
  const changed = w.set(id, 'ready')
  await expect.poll(() => waitingForLocks(w.database.pool)).toBe(1)
  await session.query('commit')
  await changed
  await w.database.pool.query(SEND)
  await expect.poll(() => w.heard.map(({ columns }) => columns['status'])).toEqual(['provisioning', 'ready'])
})

test('a change that is sent at once replaces an unsent one of its object', async () => {
  await using w = await world(1, byHand)
  const [id = ''] = w.ids
  await inABurst(w.database).query(SET, [id, 'provisioning'])
  await atOnce(w.database).query(SET, [id, 'ready'])
  expect(await unsent(w.database)).toBe(0)
  await w.database.pool.query(SEND)
  await expect.poll(() => w.lastHeard().get(id)).toBe('ready')
  expect(w.heard).toHaveLength(1)
})

/** A table of a domain that the functions do not know. */
const CLUSTERS = [
  `create table caelus.cluster (
    number int, organization_id text, name text, spec json, status jsonb, primary key (number, organization_id)
  )`,
  `create trigger change_notice after insert or update or delete on caelus.cluster
    for each row execute function caelus.notify_change(
      'clusters', 'Cluster', 'number', 'organization_id', 'name', 'status.phase.now')`,
  'grant select, insert, update, delete on caelus.cluster to caelus_worker',
]

/** Two tenants have a row with the same id. Of the columns that are not sent, one holds what jsonb cannot. */
const EDITS = [
  `insert into caelus.cluster values
    (1, 'acme', 'a', '{"x": "\\u0000"}', '{"phase": {"now": "ready"}, "secret": "s"}'), (1, 'umbrella', 'b', null, null)`,
  `update caelus.cluster set name = 'c' where organization_id = 'umbrella'`,
  `delete from caelus.cluster where organization_id = 'acme'`,
]

const SENT = [
  { operation: 'insert', tenant: 'acme', columns: { name: 'a', 'status.phase.now': 'ready' } },
  { operation: 'insert', tenant: 'umbrella', columns: { name: 'b', 'status.phase.now': null } },
  { operation: 'update', tenant: 'umbrella', columns: { name: 'c', 'status.phase.now': null } },
  { operation: 'delete', tenant: 'acme', columns: { name: 'a', 'status.phase.now': 'ready' } },
].map((change) => ({ topic: 'clusters', kind: 'Cluster', id: '1', ...change }))

async function clusters() {
  const w = await world(0, byHand)
  for (const statement of CLUSTERS) await w.database.pool.query(statement)
  return w
}

test('any table sends inserts, updates and deletes with the columns that its trigger names', async () => {
  await using w = await clusters()
  const pool = atOnce(w.database)
  for (const edit of EDITS) await pool.query(edit)
  await expect.poll(() => w.heard).toEqual(SENT)
})

test('unsent changes of any table are the last one of each object and tenant, with the same columns', async () => {
  await using w = await clusters()
  const pool = inABurst(w.database)
  for (const edit of EDITS) await pool.query(edit)
  expect(await unsent(w.database)).toBe(2)
  await w.database.pool.query(SEND)
  await expect.poll(() => w.heard).toHaveLength(2)
  expect(w.heard).toEqual(expect.arrayContaining(SENT.slice(2)))
})

test.each([
  ['at once', atOnce],
  ['later', inABurst],
])('a change with too long columns is sent %s without them', async (_, open) => {
  await using w = await clusters()
  await open(w.database).query(`insert into caelus.cluster values (2, 'acme', repeat('é', 4000))`)
  await w.database.pool.query(SEND)
  await expect.poll(() => w.heard).toMatchObject([{ id: '2', tenant: 'acme', columns: {} }])
  expect(w.heard[0]?.columns).toEqual({})
})

test('neither role has access to unsent changes, and a change of a row leaves them', async () => {
  await using w = await clusters()
  for (const role of ['caelus_api', 'caelus_worker'] as const) {
    const pool = w.database.openPool({ role })
    for (const statement of [
      'select from caelus.unsent_change',
      'delete from caelus.unsent_change',
      `select setval('caelus.change_sent_ms', 0)`,
    ])
      await expect(pool.query(statement), statement).rejects.toThrow('permission denied')
  }
  await inABurst(w.database, 'caelus_worker').query(`insert into caelus.cluster values (1, 'acme')`)
  expect(await unsent(w.database)).toBe(1)
})
