import { every, type Clock, type Service } from '../kernel/index.ts'
import type { Pool, Runner } from './pool.ts'
import type { Role } from './roles.ts'

/** How long rows are kept. */
export interface Keep {
  /** Runs of keys that settled. @default 7 days */
  readonly historyMs?: number
  /** Decision records. @default 30 days */
  readonly decisionsMs?: number
  /** Responses to requests with an Idempotency-Key. @default 1 day */
  readonly idempotencyMs?: number
  /** The history of clusters. @default 90 days */
  readonly clusterEventsMs?: number
}

export interface RetentionOptions {
  /** With the rights of `role`; as the platform, if that is caelus_api. */
  readonly pool: Pool
  /** Decides which tables are pruned. @default caelus_worker */
  readonly role?: Role
  readonly keep?: Keep
  /** @default 10 minutes */
  readonly everyMs?: number
  readonly clock?: Clock
  readonly onError?: (error: unknown) => void
}

const DAY = 86_400_000

/** Rows per statement: small enough to hold no lock for long. */
const CHUNK = 5_000

/** One pruning at a time per database. The number is arbitrary and must never change. */
const LOCK = 4_720_336

/** Table, and the column with the age. Both are constants of this file; they never come from outside. */
const AGES = {
  historyMs: ['caelus.job_history', 'finished_at'],
  decisionsMs: ['caelus.decision', 'at'],
  idempotencyMs: ['caelus.idempotency_key', 'created_at'],
  clusterEventsMs: ['tenant.cluster_events', 'created'],
} as const

/** The API deletes only what it alone adds: an installation without workers adds nothing else. */
const PRUNED_BY: Readonly<Record<Role, readonly (keyof typeof AGES)[]>> = {
  caelus_api: ['idempotencyMs'],
  caelus_worker: ['historyMs', 'decisionsMs', 'idempotencyMs', 'clusterEventsMs'],
}

/** Deletes rows that are older than `keep` says. Returns the number of deleted rows. */
export async function prune(on: Runner, keep: Keep = {}, role: Role = 'caelus_worker'): Promise<number> {
  const ages = {
    historyMs: 7 * DAY,
    decisionsMs: 30 * DAY,
    idempotencyMs: DAY,
    clusterEventsMs: 90 * DAY,
    ...keep,
  }
  let removed = 0
  for (const name of PRUNED_BY[role]) {
    const [table, column] = AGES[name]
    for (let chunk = CHUNK; chunk === CHUNK; removed += chunk) {
      const gone = await on.query(
        `delete from ${table} where ctid = any (array(
           select ctid from ${table} where ${column} < now() - $1 * interval '1 ms' limit $2
         )) returning 1`,
        [ages[name], CHUNK],
      )
      chunk = gone.length
    }
  }
  return removed
}

/** Prunes unless another session of the same database is pruning; then returns undefined. */
export async function pruneAlone(
  pool: Pool,
  keep: Keep = {},
  role: Role = 'caelus_worker',
): Promise<number | undefined> {
  const session = await pool.connect()
  try {
    const [lock] = await session.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [LOCK])
    if (lock?.taken !== true) return undefined
    try {
      return await prune(session, keep, role)
    } finally {
      await session.query('select pg_advisory_unlock($1)', [LOCK])
    }
  } finally {
    session.release()
  }
}

/** Prunes from time to time. Every process with a database runs it, and one of them prunes at a time. */
export const retention = ({ pool, role, keep, everyMs = 600_000, clock, onError }: RetentionOptions): Service =>
  every('retention', everyMs, () => pruneAlone(pool, keep, role), {
    ...(clock && { clock }),
    ...(onError && { onError }),
  })
