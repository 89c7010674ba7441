import { expect, test } from 'vitest'
import { atEnd, startAll, type Service } from '../../src/kernel/index.ts'
import { CHANGES, listener, unsentChanges, type Pool } from '../../src/store/index.ts'
import { freshDatabase, type TestDatabase, waitingForLocks } from '../support/postgres.ts'

const STATES = ['pending', 'provisioning', 'ready', 'upgrading', 'error']

interface Notice {
  readonly kind: string
  readonly id: string
  readonly status: string
}

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
  const heard: Notice[] = []
  hints.subscribe(CHANGES, (payload) => {
    const notice = JSON.parse(payload ?? '{}') as Partial<Notice>
    if (notice.kind === 'Deployment') heard.push(notice as Notice)
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
    lastHeard: (): Map<string, string> => new Map(heard.map(({ id, status }) => [id, status])),
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
  const rows = await w.database.pool.query<Notice>('select id, status from caelus.deployment')
  const last = new Map(rows.map(({ id, status }) => [id, status]))
  await expect.poll(() => w.lastHeard()).toEqual(last)
})

/** A session whose changes are all left unsent. */
const inABurst = (database: TestDatabase): Pool =>
  database.openPool({ max: 1, idleInTransactionTimeoutMs: 60_000, settings: { 'caelus.change_quiet_ms': '3600000' } })

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
  await expect.poll(() => w.heard.map(({ status }) => status)).toEqual(['provisioning', 'ready'])
})
