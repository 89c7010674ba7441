import type { Failure, Key, WakeReason } from '../../kernel/index.ts'
import type { Runner } from '../pool.ts'
import { CHANNEL } from './hints.ts'

/* What operators see of a queue and can do to it. The loop uses none of this. */

export const JOB_STATES = ['ready', 'delayed', 'running', 'parked'] as const
export type JobState = (typeof JOB_STATES)[number]

export interface Job {
  readonly queue: string
  readonly key: Key
  readonly tenant: string | undefined
  readonly state: JobState
  readonly reason: WakeReason
  readonly attempt: number
  /** How long ago it was first woken. */
  readonly ageMs: number
  /** Until it is tried; absent while it runs or is parked. */
  readonly nextTryMs: number | undefined
  readonly lockedBy: string | undefined
  readonly leaseMs: number | undefined
  /** A wake arrived during the run; it runs again afterwards. */
  readonly wokenAgain: boolean
  readonly frozen: boolean
  readonly waitingFor: string | undefined
  readonly failure: Failure | undefined
}

export interface JobFilter {
  readonly queue?: string
  readonly state?: JobState
  readonly tenant?: string
  readonly key?: Key
  /** @default 100 */
  readonly limit?: number
  /** The last job of the page before. */
  readonly after?: Pick<Job, 'queue' | 'key'>
}

const STATE = `case
  when lease_until is not null then 'running'
  when due_at = 'infinity' then 'parked'
  when turn is null and due_at > now() then 'delayed'
  else 'ready' end`

const LIST = `
  select queue, kind, id, tenant, ${STATE} as state, reason, attempt,
    (extract(epoch from now() - woken_at) * 1000)::float8 as age_ms,
    case when lease_until is null then (extract(epoch from nullif(due_at, 'infinity') - now()) * 1000)::float8 end as next_ms,
    locked_by, (extract(epoch from lease_until - now()) * 1000)::float8 as lease_ms,
    again_at is not null as woken_again, waiting_for, failure,
    exists (select from caelus.frozen_tenant f where f.queue = job.queue and f.tenant = job.tenant) as frozen
  from caelus.job
  where ($1::text is null or queue = $1)
    and ($2::text is null or ${STATE} = $2)
    and ($3::text is null or tenant = $3)
    and ($4::text is null or (kind, id) = ($4, $5))
    and ($6::text is null or (queue, kind, id) > ($6, $7, $8))
  order by queue, kind, id
  limit $9`

interface JobRow {
  readonly queue: string
  readonly kind: string
  readonly id: string
  readonly tenant: string
  readonly state: JobState
  readonly reason: WakeReason
  readonly attempt: number
  readonly age_ms: number
  readonly next_ms: number | null
  readonly locked_by: string | null
  readonly lease_ms: number | null
  readonly woken_again: boolean
  readonly frozen: boolean
  readonly waiting_for: string | null
  readonly failure: Failure | null
}

export async function listJobs(
  on: Runner,
  { queue, state, tenant, key, limit = 100, after }: JobFilter = {},
): Promise<Job[]> {
  const from = [after?.queue ?? null, after?.key.kind ?? null, after?.key.id ?? null]
  const rows = await on.query<JobRow>(LIST, [
    queue ?? null,
    state ?? null,
    tenant ?? null,
    key?.kind ?? null,
    key?.id ?? null,
    ...from,
    limit,
  ])
  return rows.map((row) => ({
    queue: row.queue,
    key: { kind: row.kind, id: row.id },
    tenant: row.tenant === '' ? undefined : row.tenant,
    state: row.state,
    reason: row.reason,
    attempt: row.attempt,
    ageMs: row.age_ms,
    nextTryMs: row.next_ms ?? undefined,
    lockedBy: row.locked_by ?? undefined,
    leaseMs: row.lease_ms ?? undefined,
    wokenAgain: row.woken_again,
    frozen: row.frozen,
    waitingFor: row.waiting_for ?? undefined,
    failure: row.failure ?? undefined,
  }))
}

/**
 * Makes a delayed or parked key due now, with no attempts and no lapses. False: the queue has no such key.
 * A key that is running continues and runs once more afterwards.
 */
export async function requeueJob(on: Runner, queue: string, { kind, id }: Key): Promise<boolean> {
  const rows = await on.query(
    `with requeued as (
       update caelus.job set
         due_at = case when lease_until is null then now() else due_at end,
         turn = case when lease_until is not null or priority = 0 then turn end,
         attempt = case when lease_until is null then 0 else attempt end,
         lapses = case when lease_until is null then 0 else lapses end,
         reason = case when lease_until is null then greatest(reason, 'changed') else reason end,
         again_reason = case when lease_until is not null then greatest(again_reason, 'changed') end,
         again_at = case when lease_until is not null then now() end
       where queue = $1 and kind = $2 and id = $3
       returning 1
     )
     select pg_notify('${CHANNEL}', $1) from requeued`,
    [queue, kind, id],
  )
  return rows.length > 0
}

/**
 * Parks a key with the failure that an operator gives. A worker that runs it loses its lease and cannot finish.
 * False: the queue has no such key.
 */
export async function failJob(on: Runner, queue: string, { kind, id }: Key, failure: Failure): Promise<boolean> {
  const rows = await on.query(
    `update caelus.job set
       turn = null, due_at = 'infinity', attempt = 0, lapses = 0, failure = $4, waiting_for = null, ended_at = now(),
       fence = null, locked_by = null, claimed_at = null, lease_until = null, again_reason = null, again_at = null
     where queue = $1 and kind = $2 and id = $3 returning 1`,
    [queue, kind, id, failure],
  )
  return rows.length > 0
}

/** Keys of a frozen tenant are woken and kept, but not claimed. Runs under way continue. */
export async function freezeTenant(on: Runner, queue: string, tenant: string, by: string, why: string): Promise<void> {
  await on.query(
    `insert into caelus.frozen_tenant (queue, tenant, frozen_by, why) values ($1, $2, $3, $4) on conflict do nothing`,
    [queue, tenant, by, why],
  )
}

/** False: it was not frozen. */
export async function unfreezeTenant(on: Runner, queue: string, tenant: string): Promise<boolean> {
  const rows = await on.query(
    `with unfrozen as (delete from caelus.frozen_tenant where queue = $1 and tenant = $2 returning 1)
     select pg_notify('${CHANNEL}', $1) from unfrozen`,
    [queue, tenant],
  )
  return rows.length > 0
}

export interface Depth extends Readonly<Record<JobState, number>> {
  readonly queue: string
  /** How long the key that waits longest has been ready. */
  readonly oldestReadyMs: number
}

/** For metrics. Reads the whole table, so it must not be called more often than every few seconds. */
export async function queueDepths(on: Runner): Promise<Depth[]> {
  return await on.query<Depth>(
    `select queue,
       (count(*) filter (where state = 'ready'))::int as ready,
       (count(*) filter (where state = 'delayed'))::int as delayed,
       (count(*) filter (where state = 'running'))::int as running,
       (count(*) filter (where state = 'parked'))::int as parked,
       coalesce(max(extract(epoch from now() - due_at)) filter (where state = 'ready') * 1000, 0)::float8 as "oldestReadyMs"
     from (select queue, due_at, ${STATE} as state from caelus.job) jobs
     group by queue order by queue`,
  )
}
