import { failureOf, storable, type Claim, type Finish } from '../../kernel/index.ts'
import type { Runner } from '../pool.ts'

export interface FinishCall {
  readonly claim: Claim
  readonly how: Finish
  /** The `ctid` of the row when it was claimed, unless it is known to have been written since. */
  readonly place: string | undefined
}

/** `busy`: another transaction locked or changed the row; ask again. `lost`: the lease has passed to another claim. */
export type FinishAnswer = 'done' | 'busy' | 'lost'

export interface Finished {
  readonly answer: FinishAnswer
  /** Until the key is due again; absent when it is gone or parked. */
  readonly dueMs: number | undefined
}

export interface FinishOptions {
  readonly queue: string
  /** Keep a row of history for every key that is forgotten. */
  readonly keep: boolean
}

/**
 * Settled keys whose row is unchanged since the claim: most finishes are of this kind. They need no index, because the
 * claim returned the `ctid`. Should another row have that `ctid` by now, it has another fence.
 */
const FORGET = `
  delete from caelus.job j where ctid = any ($1::tid[]) and fence = any ($2::bigint[]) and again_at is null`

const KEEP = `
  insert into caelus.job_history (fence, number, queue, kind, id, tenant, reason, attempt, worker, woken_at, claimed_at)
  select fence, number, queue, kind, id, tenant, reason, attempt, locked_by, woken_at, claimed_at from gone`

const GONE =
  'j.fence, j.number, j.queue, j.kind, j.id, j.tenant, j.reason, j.attempt, j.locked_by, j.woken_at, j.claimed_at'

const FORGET_ONLY = `${FORGET} returning j.fence`

const FORGET_AND_KEEP = `with gone as (${FORGET} returning ${GONE}) ${KEEP} returning fence`

/**
 * Every other finish, and those deletions that found no row; finds rows by their key.
 *
 * - A wake during the run decides when and why the key runs next; without one it waits, is parked, or is gone.
 *   A key that was not run because of its lapses (`postpone`, `giveUp`) heeds only the wakes of users, and drift does not
 *   cut the backoff of a key that failed (`retry`) short.
 * - A key that is due again lines up anew, behind the others of its tenant; only a key handed back keeps its place.
 * - Rows are locked with `skip locked`, so that a transaction elsewhere that holds one key does not delay all others.
 *   A row that still has our fence but was not written is `busy`.
 */
const settle = (keep: boolean): string => `
  with asked as (
    select *
    from unnest($2::text[], $3::text[], $4::bigint[], $5::text[], $6::float8[], $7::text[], $8::jsonb[])
      with ordinality as asked (kind, id, fence, how, after_ms, because, failure, nth)
  ),
  held as (
    select j.ctid as at, a.nth, a.how, a.after_ms, a.because, a.failure,
      case
        when a.how in ('postpone', 'giveUp') and caelus.priority_of(j.again_reason) > 0 then null
        when a.how = 'retry' and j.again_reason = 'drift' then null
        else j.again_at end as again_at,
      a.how = 'forget' and j.again_at is null as over,
      a.how in ('handBack', 'postpone', 'giveUp') as unrun
    from asked a
    join caelus.job j on j.queue = $1 and j.kind = a.kind and j.id = a.id and j.fence = a.fence
    for update of j skip locked
  ),
  gone as (
    delete from caelus.job j using held h where j.ctid = h.at and h.over returning h.nth, ${GONE}
  ),
  ${keep ? `history as (${KEEP}),` : ''}
  kept as (
    update caelus.job j set
      reason = case
        when h.unrun then greatest(j.reason, j.again_reason)
        when h.how = 'retry' then greatest('retry', j.again_reason)
        else coalesce(j.again_reason, 'retry') end,
      turn = case when h.how = 'handBack' and j.again_reason is null then j.turn end,
      due_at = case h.how
        when 'forget' then h.again_at
        when 'park' then coalesce(h.again_at, 'infinity')
        when 'giveUp' then coalesce(h.again_at, 'infinity')
        when 'handBack' then now()
        else least(h.again_at, now() + h.after_ms * interval '1 ms') end,
      attempt = case
        when h.how not in ('retry', 'handBack', 'postpone') or caelus.priority_of(j.again_reason) = 0 then 0
        when h.how = 'retry' then j.attempt + 1
        else j.attempt end,
      lapses = case when h.unrun and caelus.priority_of(j.again_reason) > 0 then j.lapses else 0 end,
      failure = case when h.how in ('handBack', 'postpone') then j.failure else h.failure end,
      waiting_for = h.because,
      ended_at = now(),
      fence = null, locked_by = null, claimed_at = null, lease_until = null, again_reason = null, again_at = null
    from held h where j.ctid = h.at and not h.over
    returning h.nth, extract(epoch from nullif(j.due_at, 'infinity') - now()) * 1000 as due_ms
  )
  select a.nth::int, kept.due_ms::float8, case
    when kept.nth is not null or a.nth in (select nth from gone) then 'done'
    when j.fence is not null then 'busy'
    else 'lost' end as answer
  from asked a
  left join kept on kept.nth = a.nth
  left join caelus.job j on j.queue = $1 and j.kind = a.kind and j.id = a.id and j.fence = a.fence`

const SETTLE_ONLY = settle(false)

const SETTLE_AND_KEEP = settle(true)

const FORGOTTEN: Finished = { answer: 'done', dueMs: undefined }

/** Ends claims, in at most two statements. Answers in the order of the calls. */
export async function finishClaims(
  on: Runner,
  calls: readonly FinishCall[],
  options: FinishOptions,
): Promise<Finished[]> {
  const forgotten = await forget(on, calls, options)
  const rest = calls.filter(({ claim }) => !forgotten.has(claim.fence))
  const answers = await settleRest(on, rest, options)
  return calls.map(({ claim }) => answers.get(claim.fence) ?? FORGOTTEN)
}

async function forget(on: Runner, calls: readonly FinishCall[], { keep }: FinishOptions): Promise<Set<number>> {
  const places: string[] = []
  const fences: number[] = []
  for (const { claim, how, place } of calls) {
    if (how.then !== 'forget' || place === undefined) continue
    places.push(place)
    fences.push(claim.fence)
  }
  if (places.length === 0) return new Set()
  try {
    const rows = await on.query<{ fence: string }>(keep ? FORGET_AND_KEEP : FORGET_ONLY, [places, fences])
    return new Set(rows.map(({ fence }) => Number(fence)))
  } catch (error) {
    // Another transaction holds one of the rows: the other statement skips it and finishes the rest.
    if (failureOf(error).code === 'DatabaseBusy') return new Set()
    throw error
  }
}

async function settleRest(
  on: Runner,
  calls: readonly FinishCall[],
  { queue, keep }: FinishOptions,
): Promise<Map<number, Finished>> {
  if (calls.length === 0) return new Map()
  const rows = await on.query<{ nth: number; answer: FinishAnswer; due_ms: number | null }>(
    keep ? SETTLE_AND_KEEP : SETTLE_ONLY,
    [
      queue,
      calls.map(({ claim }) => claim.key.kind),
      calls.map(({ claim }) => claim.key.id),
      calls.map(({ claim }) => claim.fence),
      calls.map(({ how }) => how.then),
      calls.map(({ how }) => ('afterMs' in how ? how.afterMs : 0)),
      calls.map(({ how }) => ('because' in how ? storable(how.because) : null)),
      calls.map(({ how }) => ('failure' in how ? JSON.stringify(how.failure) : null)),
    ],
  )
  return new Map(
    rows.map(({ nth, answer, due_ms }) => [calls[nth - 1]?.claim.fence ?? 0, { answer, dueMs: due_ms ?? undefined }]),
  )
}
