import { expect, test } from 'vitest'
import { seededRandom, WAKE_REASONS, type Claim, type Key, type Share } from '../../src/kernel/index.ts'
import { freezeTenant, inTx, PostgresQueue, type QueuePool, type WakeCall } from '../../src/store/index.ts'
import { claimKeys } from '../../src/store/queue/claim.ts'
import { freshDatabase } from '../support/postgres.ts'

const key = (id: string): Key => ({ kind: 'Thing', id })
const ids = (claims: readonly Claim[]): string[] => claims.map((claim) => claim.key.id)

/** A queue that notes the last claim statement. */
async function world() {
  const database = await freshDatabase()
  const pool = database.openQueuePool()
  let claim: { readonly text: string; readonly values: readonly unknown[] } | undefined
  const noting: QueuePool = {
    ...pool,
    query(text, values = []) {
      if (text.includes('for update skip locked') && text.includes('nextval')) claim = { text, values }
      return pool.query(text, values)
    },
  }
  const queue = new PostgresQueue({ pool: noting, name: 'things' })
  return {
    database,
    pool,
    queue,
    /** How many rows and index entries of the queue the last claim reads when it is repeated. */
    async rowsRead(): Promise<number> {
      if (claim === undefined) throw new Error('nothing was claimed')
      const [row] = await pool.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        `explain (analyze, timing off, format json) ${claim.text}`,
        claim.values,
      )
      return row === undefined ? 0 : rowsRead(row['QUERY PLAN'][0].Plan)
    },
    async [Symbol.asyncDispose]() {
      queue.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

interface Plan {
  readonly 'Node Type': string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Plan[]
}

function rowsRead(plan: Plan): number {
  const { 'Actual Rows': rows, 'Actual Loops': loops, 'Rows Removed by Filter': removed = 0 } = plan
  const own = /^(Index|Index Only|Seq|Bitmap Heap|Tid) Scan$/.test(plan['Node Type']) ? (rows + removed) * loops : 0
  return (plan.Plans ?? []).reduce((sum, inner) => sum + rowsRead(inner), own)
}

const CROWD = 100_000

async function wakeCrowd(queue: PostgresQueue): Promise<void> {
  for (let from = 0; from < CROWD; from += 5_000) {
    const calls = Array.from({ length: 5_000 }, (_, i): WakeCall => ({
      key: key(`crowd${from + i}`),
      wake: { reason: 'created', tenant: 'crowd' },
    }))
    await queue.wakeAll(calls)
  }
}

const few = (reason: 'created' | 'drift'): WakeCall[] =>
  Array.from({ length: 8 }, (_, i) => ({ key: key(`few${i}`), wake: { reason, tenant: `few${i}` } }))

test.each(['share', 'freeze'] as const)(
  'a claim does not read 100,000 due keys of a tenant that a %s excludes',
  async (by) => {
    await using w = await world()
    await wakeCrowd(w.queue)
    await w.queue.wakeAll(few('drift'))
    await w.database.pool.query('analyze caelus.job')
    if (by === 'freeze') await freezeTenant(w.database.pool, 'things', 'crowd', 'operator', 'it loops')
    const share: Share = { perTenant: 2, running: new Map(by === 'share' ? [['crowd', 2]] : []) }
    // The first claim passes over the crowd, and learns that there is one.
    expect(ids(await w.queue.claim('w', 2, share))).toEqual(['few0', 'few1'])
    await expect
      .poll(async () => {
        await w.queue.claim('w', 1, share)
        return w.rowsRead()
      })
      .toBeLessThan(2_000)
  },
)

test('a claim that finds its keys tenant by tenant finds the same keys in the same order', async () => {
  await using w = await world()
  const random = seededRandom(7)
  const some = (n: number): number => Math.floor(random() * n)
  for (let round = 0; round < 20; round++) {
    await w.pool.query('delete from caelus.job')
    for (let i = 0; i < 60; i++) {
      const tenant = ['', 'a', 'b', 'c', 'd'][some(5)] ?? ''
      const wake = { reason: WAKE_REASONS[some(WAKE_REASONS.length)] ?? 'drift', ...(tenant !== '' && { tenant }) }
      await w.queue.wake(key(`${round}-${i}`), wake)
      if (some(6) === 0) await w.queue.claim('w', 1)
    }
    const share: Share = { perTenant: 1 + some(4), running: new Map([['a', some(5)]]) }
    const limit = 1 + some(12)
    const claim = async (isCrowded: boolean): Promise<string[]> => {
      let found: string[] = []
      const call = { queue: 'things', worker: 'w', limit, leaseMs: 60_000, share, anyway: true, isCrowded }
      await inTx(w.database.pool, async (tx) => {
        found = ids((await claimKeys(tx, call)).claims)
        throw new Error('undo')
      }).catch(() => {})
      return found
    }
    expect(await claim(true)).toEqual(await claim(false))
  }
})
