import { strongerReason, keyText, type Key, type Wake } from '../../kernel/index.ts'
import type { Runner } from '../pool.ts'
import { CHANNEL } from './hints.ts'

export interface WakeCall {
  readonly key: Key
  readonly wake: Wake
}

/**
 * Wakes keys, all in one statement.
 *
 * - A new key lines up behind the last of its tenant, or behind what was served last if its tenant has nothing in line:
 *   so tenants alternate, however many keys one has, and one that always comes back cannot pass another that waits.
 * - A key in line keeps its place, unless the new reason moves it into a better class.
 * - A key that runs only takes note (`again_*`); whoever finishes the run puts it in line.
 * - A key that becomes due in a class for which no turn was computed here stays out of line with a due time in the past:
 *   the next claim lines it up.
 *
 * Rows are written in the order of their keys, so that two of these statements never wait for each other in a circle.
 */
const WAKE = `
  with asked as (
    select *, caelus.priority_of(reason) as priority
    from unnest($2::text[], $3::text[], $4::text[], $5::caelus.wake_reason[], $6::float8[])
      with ordinality as asked (kind, id, tenant, reason, after_ms, nth)
  ),
  placed as (
    select *,
      case when after_ms <= 0 then
        last_turn + row_number() over (partition by tenant, priority, after_ms <= 0 order by nth)
      end as turn
    from asked join (
      select tenant, priority, caelus.last_turn($1, tenant, priority) as last_turn from asked group by tenant, priority
    ) last using (tenant, priority)
  ),
  woken as (
    insert into caelus.job as job (queue, kind, id, tenant, reason, turn, due_at)
    select $1, kind, id, tenant, reason, turn, now() + after_ms * interval '1 ms'
    from placed order by kind, id
    on conflict (queue, kind, id) do update set
      tenant = coalesce(nullif(excluded.tenant, ''), job.tenant),
      reason = case
        when job.lease_until is not null then job.reason
        when job.due_at = 'infinity' then excluded.reason
        else greatest(job.reason, excluded.reason) end,
      turn = case
        when job.lease_until is not null then job.turn
        when job.turn is not null and excluded.priority >= job.priority then job.turn
        when excluded.priority <= job.priority or job.due_at = 'infinity' then excluded.turn end,
      due_at = case when job.lease_until is not null then job.due_at else least(job.due_at, excluded.due_at) end,
      attempt = case when job.lease_until is null and excluded.priority = 0 then 0 else job.attempt end,
      lapses = case when job.lease_until is null and excluded.priority = 0 then 0 else job.lapses end,
      again_reason = case when job.lease_until is not null then greatest(job.again_reason, excluded.reason) end,
      again_at = case when job.lease_until is not null then least(job.again_at, excluded.due_at) end
  )
  select pg_notify('${CHANNEL}', $1) where $7`

/** `hint`: tell the workers in the same statement; PostgreSQL does so when it commits. */
export async function wakeKeys(on: Runner, queue: string, calls: readonly WakeCall[], hint: boolean): Promise<void> {
  const merged = mergeCalls(calls)
  await on.query(WAKE, [
    queue,
    merged.map(({ key }) => key.kind),
    merged.map(({ key }) => key.id),
    merged.map(({ wake }) => wake.tenant ?? ''),
    merged.map(({ wake }) => wake.reason),
    merged.map(({ wake }) => wake.afterMs ?? 0),
    hint,
  ])
}

/** A statement may write a row only once, so wakes of one key are merged before it by the rule it would apply. */
export function mergeCalls(calls: readonly WakeCall[]): WakeCall[] {
  const merged = new Map<string, WakeCall>()
  for (const { key, wake } of calls) {
    const known = merged.get(keyText(key))?.wake
    const tenant = wake.tenant ?? known?.tenant
    merged.set(keyText(key), {
      key,
      wake: {
        reason: known ? strongerReason(known.reason, wake.reason) : wake.reason,
        afterMs: Math.min(known?.afterMs ?? (known ? 0 : Infinity), wake.afterMs ?? 0),
        ...(tenant !== undefined && { tenant }),
      },
    })
  }
  return [...merged.values()]
}
