import { expect, test } from 'vitest'
import type { DecisionRecord, Failure, Replays } from '../../src/kernel/index.ts'
import { world } from './world.ts'

const failure: Failure = {
  code: 'QuotaExceeded',
  message: 'the quota is exceeded',
  whoseMove: 'user',
  retryable: false,
  nextStep: 'Raise the quota.',
}

const decided = (at: number, change: Partial<DecisionRecord> = {}): DecisionRecord => ({
  controller: 'echo',
  key: { kind: 'Echo', id: 'demo/a' },
  at,
  input: { wanted: at },
  decision: { do: 'apply' },
  masked: [],
  run: { outcome: 'settled', ms: 1, attempt: 0 },
  ...change,
})

test('decisions of all processes are listed, filtered, and shown with how their run ended', async () => {
  await using w = await world()
  const { secret } = await w.person('admin')
  const get = async (path: string) => (await w.as(secret, { url: `/api/v1/decisions${path}` })).json()
  for (const n of [1, 2, 3]) w.decided.add(decided(n, { run: { outcome: 'settled', ms: 12.4, attempt: n } }))
  w.decided.add(decided(4, { run: { outcome: 'terminal', failure, ms: 1, attempt: 0 } }))
  await w.kept()
  const { items, next_cursor: more } = await get('?kind=Echo&object_id=demo/a&limit=3')
  expect(items).toMatchObject([
    { decision: 'apply', outcome: 'terminal', because: 'the quota is exceeded', failure: { whose_move: 'user' } },
    { decision: 'apply', outcome: 'settled', because: '', failure: null, ms: 12, attempt: 3, repeats: 0 },
    { attempt: 2, at: '1970-01-01T00:00:00.002Z' },
  ])
  expect((await get(`?controller=echo&cursor=${more}`)).items).toMatchObject([{ attempt: 1 }])
  expect((await get('?outcome=terminal')).items).toHaveLength(1)
  expect((await get('?controller=other')).items).toEqual([])
  expect((await get('?outcome=unheard')).code).toBe('InvalidRequest')
  expect((await get('?cursor=WyJ4Il0')).code).toBe('InvalidRequest')
  expect(await get(`/${items[0].id}`)).toMatchObject({ input: { wanted: 4 }, output: { do: 'apply' } })
  expect((await get('/99')).status).toBe(404)
  expect((await get('/x')).status).toBe(404)
  const member = await w.person('member')
  for (const [method, url] of [
    ['GET', ''],
    ['GET', `/${items[0].id}`],
    ['POST', `/${items[0].id}:replay`],
  ] as const) {
    expect((await w.as(member.secret, { method, url: `/api/v1/decisions${url}` })).statusCode).toBe(403)
  }
})

test('a decision is replayed from its recorded input, and differences are shown by field', async () => {
  const replays: Replays = { echo: (input) => ({ do: 'apply', n: (input as { wanted: number }).wanted }) }
  await using w = await world({ replays })
  const { secret } = await w.person('admin')
  w.decided.add(decided(1, { decision: { do: 'apply', n: 1 } }))
  w.decided.add(decided(2, { decision: { do: 'apply', n: 3, old: true } }))
  w.decided.add(decided(3, { decision: { do: 'apply', n: 9 }, masked: ['input.wanted'] }))
  w.decided.add(decided(4, { controller: 'gone' }))
  await w.kept()
  const replayed = async (id: string | number) =>
    (await w.as(secret, { method: 'POST', url: `/api/v1/decisions/${id}:replay` })).json()
  expect(await replayed(1)).toEqual({ result: 'same', because: null, changes: [], version: '0.0.0-test' })
  expect(await replayed(2)).toMatchObject({
    result: 'different',
    changes: [
      { field: 'n', change: 'changed', before: 3, after: 2 },
      { field: 'old', change: 'removed', before: true },
    ],
  })
  expect(await replayed(3)).toMatchObject({ result: 'not_replayable', because: 'masked fields: input.wanted' })
  expect(await replayed(4)).toMatchObject({ result: 'not_replayable', because: expect.stringContaining('gone') })
  expect((await replayed(99)).status).toBe(404)
})
