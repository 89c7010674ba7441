import type { Claim, Share, WakeReason } from '../../kernel/index.ts'
import type { Runner } from '../pool.ts'

/**
 * Takes the first `limit` keys in line that nobody holds.
 *
 * - `skip locked` lets workers pass each other. What is kept is a lease, not a lock: the statement is its own transaction.
 * - Rows are found again by `ctid`: they are locked, so it cannot change; one that changed before the lock is left for the
 *   next claim.
 * - Only lease columns are written, which no index knows: the new version stays on its page and no index grows.
 * - A lease that has run out is claimed like a key in line.
 * - A tenant whose keys already fill its share is passed over, and of one statement gets no more than the rest of it.
 * - Always answers at least one row, so that `next_ms` is known: how long until the earliest delayed key falls due. Is it
 *   overdue, nothing is claimed unless `$6`: it has to line up first, since it may come before all others.
 *
 * `limited`: some tenant could get more than its share by this statement. Counting costs a fifth of it, so only then.
 */
const claimStatement = (limited: boolean): string => `
  with later as (
    select (select extract(epoch from due_at - now()) * 1000 from caelus.job
            where queue = $1 and turn is null and due_at < 'infinity' order by due_at limit 1)::float8 as next_ms
  ),
  first as (
    select ctid as at, tenant, priority, turn, due_at from caelus.job
    where queue = $1 and turn is not null
      and (lease_until is null or lease_until <= now())
      and tenant <> all ($5::text[])
      and tenant <> all (array(select tenant from caelus.frozen_tenant where queue = $1))
      and ($6 or coalesce((select next_ms from later), 1) > 0)
    order by priority, turn, due_at
    limit $3
    for update skip locked
  ),
  ${limited ? COUNTED : ''}
  taken as (
    update caelus.job j set
      locked_by = $2, claimed_at = now(), lease_until = now() + $4 * interval '1 ms', fence = nextval('caelus.fence')
    from ${limited ? 'counted' : 'first'} f
    where j.ctid = f.at ${limited ? WITHIN_SHARE : ''}
    returning j.ctid as at, j.kind, j.id, j.tenant, j.reason, j.attempt, j.fence, j.priority, j.turn, j.due_at
  ),
  served as (
    update caelus.job_turn t set served = s.turn
    from (
      select known.ctid as at, latest.turn
      from (select priority, max(turn) as turn from taken group by priority) latest
      join caelus.job_turn known on known.queue = $1 and known.priority = latest.priority and known.served < latest.turn
      for update of known skip locked
    ) s
    where t.ctid = s.at
  )
  select later.next_ms, ${limited ? '(select count(*)::int from first)' : 'null::int'} as seen,
    t.at::text, t.kind, t.id, t.tenant, t.reason, t.attempt, t.fence
  from later left join taken t on true
  order by t.priority, t.turn, t.due_at`

const COUNTED = `
  counted as (
    select *, row_number() over (partition by tenant order by priority, turn, due_at) as nth from first
  ),`

const WITHIN_SHARE = `and (f.tenant = '' or f.nth <= $7::int - coalesce(($9::int[])[array_position($8::text[], f.tenant)], 0))`

const CLAIM = claimStatement(false)

const CLAIM_LIMITED = claimStatement(true)

type ClaimRow = { readonly next_ms: number | null; readonly seen: number | null } & (
  | { readonly kind: null }
  | {
      readonly at: string
      readonly kind: string
      readonly id: string
      readonly tenant: string
      readonly reason: WakeReason
      readonly attempt: number
      readonly fence: string
    }
)

export interface Claimed {
  readonly claims: readonly Claim[]
  /** Where the row of each claim is, in the same order. True until somebody writes it. */
  readonly places: readonly string[]
  /** Keys that were free but beyond their tenant's share. */
  readonly passedOver: number
  /** Until the earliest delayed key falls due; zero or less: it is overdue and has to line up. */
  readonly nextMs: number | undefined
}

export interface ClaimCall {
  readonly queue: string
  readonly worker: string
  readonly limit: number
  readonly leaseMs: number
  readonly share: Share | undefined
  /** Claim even if delayed keys are overdue. */
  readonly anyway: boolean
}

export async function claimKeys(on: Runner, call: ClaimCall): Promise<Claimed> {
  const { queue, worker, limit, leaseMs, share, anyway } = call
  const running = [...(share?.running ?? [])]
  const perTenant = share?.perTenant ?? Infinity
  const full = running.filter(([, count]) => count >= perTenant).map(([tenant]) => tenant)
  const limited = limit > perTenant - Math.max(0, ...running.map(([, count]) => count))
  const values = [queue, worker, limit, leaseMs, full, anyway]
  const rows = limited
    ? await on.query<ClaimRow>(CLAIM_LIMITED, [
        ...values,
        perTenant,
        running.map(([tenant]) => tenant),
        running.map(([, count]) => count),
      ])
    : await on.query<ClaimRow>(CLAIM, values)
  const taken = rows.filter((row) => row.kind !== null)
  return {
    claims: taken.map(claimOf),
    places: taken.map(({ at }) => at),
    passedOver: (rows[0]?.seen ?? taken.length) - taken.length,
    nextMs: rows[0]?.next_ms ?? undefined,
  }
}

const claimOf = ({ kind, id, tenant, reason, attempt, fence }: Extract<ClaimRow, { kind: string }>): Claim => ({
  key: { kind, id },
  reason,
  tenant: tenant === '' ? undefined : tenant,
  attempt,
  fence: Number(fence),
})
