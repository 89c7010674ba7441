import type { Claim, Share, WakeReason } from '../../kernel/index.ts'
import type { Runner } from '../pool.ts'

/** Tenants that must not be claimed: their share is used up, or an operator froze them. */
const EXCLUDED = `(select unnest($5::text[]) union all select tenant from caelus.frozen_tenant where queue = $1)`

/** Not leased, or the lease has lapsed: such a key is in line like any other. */
const FREE = '(lease_until is null or lease_until <= now())'

/**
 * While delayed keys are overdue a claim finds nothing, unless `$6`: those keys need a turn first and may precede all
 * others.
 */
const LINED_UP = '($6 or not exists (select from caelus.job where queue = $1 and turn is null and due_at <= now()))'

const FIRST_COLUMNS = 'ctid as at, tenant, priority, turn, due_at, lease_until is not null as lapsed'

/**
 * The first keys in line. `skip locked` lets workers pass each other. A claim keeps a lease, not a lock: the statement
 * is its own transaction.
 */
const FIRST = `
  select ${FIRST_COLUMNS} from caelus.job
  where queue = $1 and turn is not null and ${FREE}
    and tenant <> all (array(${EXCLUDED}))
    and ${LINED_UP}
  order by priority, turn, due_at
  limit $3
  for update skip locked`

/**
 * The same keys, found tenant by tenant: keys of an excluded tenant are not read, however many they are.
 *
 * - `page` reads the tenants in line in pages. The next page begins after the last tenant, so that the rest of a crowd
 *   is skipped.
 * - Of each tenant only the keys that it could get are read, and some more in case other workers lock the first ones.
 */
const FIRST_BY_TENANT = `
  with recursive page as (
    select array_agg(distinct tenant) as tenants, max(tenant) as last from (
      select tenant from caelus.job where queue = $1 and turn is not null order by tenant limit 200
    ) first
    union all
    select next.tenants, next.last from page cross join lateral (
      select array_agg(distinct tenant) as tenants, max(tenant) as last from (
        select tenant from caelus.job where queue = $1 and turn is not null and tenant > page.last
        order by tenant limit 200
      ) following
    ) next
    where page.last is not null
  ),
  candidate as (
    select first.at from page cross join unnest(page.tenants) as lane (tenant)
    cross join lateral (
      select ctid as at, priority, turn, due_at from caelus.job
      where queue = $1 and tenant = lane.tenant and turn is not null and ${FREE}
      order by priority, turn
      limit case when lane.tenant = '' then $3 else least($3, 2 * $7::int) end
    ) first
    where lane.tenant <> all (array(${EXCLUDED})) and ${LINED_UP}
    order by priority, turn, due_at
    limit 2 * $3
  )
  select ${FIRST_COLUMNS} from caelus.job
  where ctid = any (array(select at from candidate)) and ${FREE}
  order by priority, turn, due_at
  limit $3
  for update skip locked`

/** From this many keys of an excluded tenant on, finding keys tenant by tenant costs less than passing over them. */
const CROWD = 5_000

/**
 * Whether an excluded tenant has a crowd in line. Turns of one tenant are consecutive, so that the first and the last
 * tell; keys that have left only make the answer true too often.
 */
export const crowded = (excluded: string): string => `exists (
  select from (${excluded}) as excluded (tenant) cross join generate_series(0, 2) as class (priority)
  where (
    select max(turn) from caelus.job j
    where j.queue = $1 and j.tenant = excluded.tenant and j.priority = class.priority and turn is not null
  ) - (
    select min(turn) from caelus.job j
    where j.queue = $1 and j.tenant = excluded.tenant and j.priority = class.priority and turn is not null
  ) >= ${CROWD})`

/**
 * The columns of a lease are in no index, so that the update is heap-only (HOT) and no index grows. A run that takes over a
 * lapsed lease observes what was woken during the lapsed one: that must not count again when its own lease lapses.
 */
export const lease = (worker: string, leaseMs: string): string => `
  locked_by = ${worker}, claimed_at = now(), lease_until = now() + ${leaseMs} * interval '1 ms',
  fence = nextval('caelus.fence'),
  lapses = case
    when j.lease_until is null then j.lapses
    when caelus.priority_of(j.again_reason) = 0 then 0
    else j.lapses + 1 end,
  again_reason = null, again_at = null`

const LEASE = lease('$2', '$4')

const ROW = `j.ctid::text as at, j.kind, j.id, j.tenant, j.reason, j.attempt, j.fence, j.priority, j.turn,
  extract(epoch from j.due_at)::float8 as due, case when f.lapsed then j.lapses else 0 end as lapses`

/**
 * Rows are found again by `ctid`, which cannot change while they are locked. A row that changed before it was locked is
 * left for the next claim.
 */
const CLAIM = `
  update caelus.job j set ${LEASE} from (${FIRST}) f where j.ctid = f.at returning ${ROW}, null::int as seen`

/** Counts how many keys each tenant gets. That costs a fifth more, so it is used only if a tenant could exceed its share. */
const limited = (first: string): string => `
  with first as (${first}),
  counted as (
    select *, row_number() over (partition by tenant order by priority, turn, due_at) as nth from first
  )
  update caelus.job j set ${LEASE}
  from counted f
  where j.ctid = f.at
    and (f.tenant = '' or f.nth <= $7::int - coalesce(($9::int[])[array_position($8::text[], f.tenant)], 0))
  returning ${ROW}, (select count(*)::int from first) as seen`

const CLAIM_LIMITED = limited(FIRST)

const CLAIM_BY_TENANT = limited(FIRST_BY_TENANT)

interface ClaimRow {
  readonly at: string
  readonly kind: string
  readonly id: string
  readonly tenant: string
  readonly reason: WakeReason
  readonly attempt: number
  readonly fence: string
  readonly lapses: number
  readonly priority: number
  readonly turn: string
  /** Seconds since 1970, with microseconds. */
  readonly due: number
  readonly seen: number | null
}

/** A claim with the `ctid` of its row, as long as the row is not known to have been written since. */
export interface RowClaim extends Claim {
  place?: string | undefined
}

export interface Claimed {
  readonly claims: readonly RowClaim[]
  /** The last turn that was taken, by priority. */
  readonly turns: ReadonlyMap<number, number>
  /** How many keys were free but beyond their tenant's share. */
  readonly passedOver: number
}

export interface ClaimCall {
  readonly queue: string
  readonly worker: string
  readonly limit: number
  readonly leaseMs: number
  readonly share: Share | undefined
  /** Claim even if delayed keys are overdue. @see LINED_UP */
  readonly anyway: boolean
  /** An excluded tenant has a crowd in line. Decides how keys are found, not which. */
  readonly isCrowded: boolean
}

/** The tenants that have used up their share. */
export const fullTenants = (share: Share | undefined): string[] =>
  share === undefined ? [] : [...share.running].filter(([, n]) => n >= share.perTenant).map(([tenant]) => tenant)

export async function claimKeys(on: Runner, call: ClaimCall): Promise<Claimed> {
  const { queue, worker, limit, leaseMs, share, anyway, isCrowded } = call
  const running = [...(share?.running ?? [])]
  const perTenant = share?.perTenant ?? Infinity
  const isLimited = limit > perTenant - Math.max(0, ...running.map(([, count]) => count))
  const values = [queue, worker, limit, leaseMs, fullTenants(share), anyway]
  const rows =
    isLimited || isCrowded
      ? await on.query<ClaimRow>(isCrowded ? CLAIM_BY_TENANT : CLAIM_LIMITED, [
          ...values,
          Math.min(perTenant, MOST_PER_TENANT),
          running.map(([tenant]) => tenant),
          running.map(([, count]) => count),
        ])
      : await on.query<ClaimRow>(CLAIM, values)
  // An update returns its rows in any order.
  rows.sort((a, b) => a.priority - b.priority || Number(a.turn) - Number(b.turn) || a.due - b.due)
  return {
    claims: rows.map(claimOf),
    turns: new Map(rows.map(({ priority, turn }) => [priority, Number(turn)])),
    passedOver: (rows[0]?.seen ?? rows.length) - rows.length,
  }
}

/** Stands for no limit: fits twice into an integer of the server. */
const MOST_PER_TENANT = 2 ** 30 - 1

const claimOf = ({ at, kind, id, tenant, reason, attempt, fence, lapses }: ClaimRow): RowClaim => ({
  key: { kind, id },
  reason,
  tenant: tenant === '' ? undefined : tenant,
  attempt,
  fence: Number(fence),
  lapses,
  place: at,
})
