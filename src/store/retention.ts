import { service, sleep, systemClock, type Clock, type Service } from '../kernel/index.ts'
import type { Pool, Runner } from './pool.ts'

export interface Keep {
  /** Runs of keys that settled. @default 7 days */
  readonly historyMs?: number
  /** Decision records. @default 30 days */
  readonly decisionsMs?: number
  /** Answers to requests with an Idempotency-Key. @default 1 day */
  readonly idempotencyMs?: number
}

export interface RetentionOptions {
  readonly pool: Pool
  readonly keep?: Keep
  /** @default 10 minutes */
  readonly everyMs?: number
  readonly clock?: Clock
  readonly onError?: (error: unknown) => void
}

const DAY = 86_400_000

/** Rows per statement: small enough that nobody waits for it. */
const CHUNK = 5_000

/** Table, column that tells the age. Names are constants of this file; they never come from outside. */
const AGES = {
  historyMs: ['job_history', 'finished_at'],
  decisionsMs: ['decision', 'at'],
  idempotencyMs: ['idempotency_key', 'created_at'],
} as const

/** Removes what is older than it has to be. Answers how many rows went. */
export async function prune(on: Runner, keep: Keep = {}): Promise<number> {
  const ages = { historyMs: 7 * DAY, decisionsMs: 30 * DAY, idempotencyMs: DAY, ...keep }
  let removed = 0
  for (const name of Object.keys(AGES) as (keyof typeof AGES)[]) {
    const [table, column] = AGES[name]
    for (let chunk = CHUNK; chunk === CHUNK; removed += chunk) {
      const gone = await on.query(
        `delete from caelus.${table} where ctid = any (array(
           select ctid from caelus.${table} where ${column} < now() - $1 * interval '1 ms' limit $2
         )) returning 1`,
        [ages[name], CHUNK],
      )
      chunk = gone.length
    }
  }
  return removed
}

/** Prunes from time to time. Harmless when several processes do. */
export function retention({
  pool,
  keep,
  everyMs = 600_000,
  clock = systemClock,
  onError = () => {},
}: RetentionOptions): Service {
  return service('retention', async (signal, ready) => {
    ready()
    while (!signal.aborted) {
      await prune(pool, keep).catch(onError)
      await sleep(clock, everyMs, signal).catch(() => {})
    }
  })
}
