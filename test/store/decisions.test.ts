import { expect, test } from 'vitest'
import type { DecisionRecord, Key } from '../../src/kernel/index.ts'
import {
  DECISIONS_CHANNEL,
  decisionsOf,
  decisionStore,
  findDecision,
  listDecisions,
  listener,
  newestDecision,
  type DecisionFilter,
} from '../../src/store/index.ts'
import { freshDatabase, type TestDatabase } from '../support/postgres.ts'

const object: Key = { kind: 'Deployment', id: 'd1' }

const record = (at: number, change: Partial<DecisionRecord> = {}): DecisionRecord => ({
  controller: 'apps',
  key: object,
  at,
  fence: at,
  // The order of the fields is part of the record: decide functions may read it.
  input: { zz: { replicas: 2 }, b: [], a: 'nul \u0000 and half a pair \ud800' },
  decision: { do: 'upgrade' },
  masked: ['input.zz'],
  run: { outcome: 'checkAgain', because: 'it is slow', ms: 12.4, attempt: 1 },
  ...change,
})

const storeOf = (database: TestDatabase) =>
  decisionStore({ pool: database.openPool({ role: 'caelus_worker' }), collectMs: 0 })

test('a decision is read back as it was made, with how its run ended', async () => {
  await using database = await freshDatabase()
  const { keep, flush } = storeOf(database)
  keep(record(1_000))
  const failure = { code: 'Bad', message: 'no', whoseMove: 'user', retryable: false, nextStep: 'Mend it.' } as const
  keep(
    record(2_000, {
      decision: { do: 'nothing' },
      masked: [],
      run: { outcome: 'terminal', failure, ms: 1, attempt: 0 },
    }),
  )
  await flush()
  const [failed, waiting] = await decisionsOf(database.pool, 'apps', object)
  expect(waiting).toMatchObject({
    controller: 'apps',
    key: object,
    at: 1_000,
    outcome: 'checkAgain',
    ms: 12,
    attempt: 1,
  })
  expect(failed).toMatchObject({ at: 2_000, outcome: 'terminal', because: null, failure })
  const detail = await findDecision(database.pool, waiting?.id ?? '')
  expect(JSON.stringify(detail?.input)).toBe(JSON.stringify(record(1).input))
  expect(detail?.masked).toEqual(['input.zz'])
  expect((await findDecision(database.pool, failed?.id ?? ''))?.masked).toEqual([])
  expect(await newestDecision(database.pool)).toBe(failed?.id)
  for (const id of ['0', 'x', '-1', '9'.repeat(30)]) expect(await findDecision(database.pool, id)).toBeUndefined()
})

test('the same decision from the same input is counted instead of repeated, whichever process makes it', async () => {
  await using database = await freshDatabase()
  const [one, other] = [storeOf(database), storeOf(database)]
  for (const at of [1, 2, 3]) one.keep(record(at))
  await one.flush()
  other.keep(record(4))
  await other.flush()
  expect(await decisionsOf(database.pool, 'apps', object)).toMatchObject([{ at: 1, repeats: 3, lastAt: 4 }])
  // Another decision in between: what is decided again afterwards is news.
  other.keep(record(5, { decision: { do: 'nothing' } }))
  other.keep(record(6))
  await other.flush()
  one.keep(record(7, { run: { outcome: 'lost', ms: 1, attempt: 0 } }))
  one.keep(record(8, { key: { kind: 'Deployment', id: 'd2' } }))
  one.keep(record(9, { controller: 'other' }))
  await one.flush()
  const rows = await decisionsOf(database.pool, 'apps', object)
  expect((await decisionsOf(database.pool, 'other', object)).map(({ at }) => at)).toEqual([9])
  expect(rows.map(({ at, repeats }) => [at, repeats])).toEqual([
    [7, 0],
    [6, 0],
    [5, 0],
    [1, 3],
  ])
})

test('lists are filtered and read page by page, newest first', async () => {
  await using database = await freshDatabase()
  const { keep, flush } = storeOf(database)
  for (let n = 1; n <= 30; n++) {
    const key = { kind: n % 2 === 0 ? 'Deployment' : 'ClassRuntime', id: `o${n % 3}` }
    const run = { outcome: n % 5 === 0 ? 'terminal' : 'settled', ms: 1, attempt: 0 } as const
    keep(record(n, { key, controller: n % 2 === 0 ? 'apps' : 'runtimes', run, input: { n } }))
  }
  await flush()
  const seen = async (filter: DecisionFilter): Promise<number[]> => {
    const found: number[] = []
    for (let after: readonly string[] | null | undefined; after !== null;) {
      const page = await listDecisions(database.pool, filter, { limit: 4, after })
      found.push(...page.items.map(({ at }) => at))
      after = page.next
    }
    return found
  }
  const all = Array.from({ length: 30 }, (_, index) => 30 - index)
  expect(await seen({})).toEqual(all)
  expect(await seen({ controller: 'apps' })).toEqual(all.filter((n) => n % 2 === 0))
  expect(await seen({ kind: 'ClassRuntime', objectId: 'o1' })).toEqual(all.filter((n) => n % 2 === 1 && n % 3 === 1))
  expect(await seen({ objectId: 'o2', outcome: 'terminal' })).toEqual(all.filter((n) => n % 3 === 2 && n % 5 === 0))
  const newest = await listDecisions(database.pool, {}, { limit: 2 })
  expect(await seen({ since: newest.items[1]?.id })).toEqual([30])
  await expect(listDecisions(database.pool, {}, { limit: 1, after: ['x'] })).rejects.toThrow('not valid')
})

test.each([
  ['no filter', '', 'decision_pkey'],
  ['a controller', "where controller = 'c7'", 'decision_controller'],
  ['a kind', "where kind = 'K7'", 'decision_kind'],
  ['an object', "where key_id = 'o7' and kind = 'K7'", 'decision_key'],
  ['an outcome', "where outcome = 'terminal'", 'decision_outcome'],
])('the newest of %s are found by an index', async (_, where, index) => {
  await using database = await freshDatabase()
  await database.pool.query(
    `insert into caelus.decision (controller, kind, key_id, at, input, decision, outcome)
     select 'c' || n % 400, 'K' || n % 400, 'o' || n % 500, now(), '{}', '{}', case when n % 100 = 0 then 'terminal' else 'settled' end
     from generate_series(1, 20000) n`,
  )
  await database.pool.query('analyze caelus.decision')
  const plan = await database.pool.query(`explain select * from caelus.decision ${where} order by id desc limit 51`)
  expect(JSON.stringify(plan)).toContain(` ${index} `)
})

test('added rows are notified once per statement, and a repeat is not', async () => {
  await using database = await freshDatabase()
  const notices: (string | undefined)[] = []
  const listening = listener({ url: database.url, applicationName: 'test' })
  listening.subscribe(DECISIONS_CHANNEL, (payload) => void notices.push(payload))
  listening.subscribe('end', (payload) => void notices.push(payload))
  await listening.start()
  const { keep, flush } = storeOf(database)
  for (let n = 1; n <= 50; n++) keep(record(n, { input: { n } }))
  await flush()
  keep(record(51, { input: { n: 50 } }))
  await flush()
  await database.pool.query('notify "end", \'end\'')
  await expect.poll(() => notices.at(-1)).toBe('end')
  expect(notices.filter((payload) => payload !== undefined)).toEqual(['', 'end'])
  await listening.stop()
})

test('decisions that cannot be written are dropped and reported, never thrown into the loop', async () => {
  await using database = await freshDatabase()
  const dropped: unknown[] = []
  await database.pool.query('alter table caelus.decision add constraint few check (ms < 100)')
  const { keep, flush } = decisionStore({
    pool: database.pool,
    maxWaiting: 3,
    onDropped: (_, error) => void dropped.push(error),
  })
  const slow = { outcome: 'settled', ms: 200, attempt: 0 } as const
  for (const at of [1, 2, 3, 4]) keep(record(at, { input: { at }, ...(at === 2 && { run: slow }) }))
  expect(dropped.map(String)).toEqual(['Error: 3 decisions wait to be written already'])
  await flush()
  // One row that the database refuses does not cost the others of its statement.
  expect(dropped.map(String)[1]).toContain('violates check constraint "few"')
  expect((await decisionsOf(database.pool, 'apps', object)).map(({ at }) => at)).toEqual([3, 1])
})

test('rows of earlier versions are read without what they do not have', async () => {
  await using database = await freshDatabase()
  await database.pool.query(
    `insert into caelus.decision (controller, kind, key_id, at, input, decision) values ('apps', 'Deployment', 'd1', now(), '{}', '{}')`,
  )
  const [row] = await decisionsOf(database.pool, 'apps', object)
  expect(row).toMatchObject({ outcome: null, because: null, failure: null, ms: null, attempt: null, repeats: 0 })
  expect(await findDecision(database.pool, row?.id ?? '')).toMatchObject({ masked: null })
})
