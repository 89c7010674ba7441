import type { Claim, Share, WakeReason } from '../../kernel/index.ts'
import type { Runner } from '../pool.ts'

/**
 * The first keys in line without a lease. A key whose lease has lapsed is in line like any other.
 *
 * - `skip locked` lets workers pass each other. A claim keeps a lease, not a lock: the statement is its own transaction.
 * - Tenants whose share is used up and tenants that an operator froze are skipped.
 * - While delayed keys are overdue it finds nothing, unless `$6`: those keys need a turn first and may precede all others.
 */
const FIRST = `
  select ctid as at, tenant, priority, turn, due_at, lease_until is not null as lapsed from caelus.job
  where queue = $1 and turn is not null
    and (lease_until is null or lease_until <= now())
    and tenant <> all ($5::text[])
    and tenant <> all (array(select tenant from caelus.frozen_tenant where queue = $1))
    and ($6 or not exists (select from caelus.job where queue = $1 and turn is null and due_at <= now()))
  order by priority, turn, due_at
  limit $3
  for update skip locked`

/** The columns of a lease are in no index, so that the update is heap-only (HOT) and no index grows. */
export const lease = (worker: string, leaseMs: string): string => `
  locked_by = ${worker}, claimed_at = now(), lease_until = now() + ${leaseMs} * interval '1 ms',
  fence = nextval('caelus.fence'),
  lapses = case
    when j.lease_until is null then j.lapses
    when caelus.priority_of(j.again_reason) = 0 then 0
    else j.lapses + 1 end`

const LEASE = lease('$2', '$4')

const ROW = `j.ctid::text as at, j.kind, j.id, j.tenant, j.reason, j.attempt, j.fence, j.priority, j.turn,
  case when f.lapsed then j.lapses else 0 end as lapses`

/**
 * Rows are found again by `ctid`, which cannot change while they are locked. A row that changed before it was locked is
 * left for the next claim.
 */
const CLAIM = `
  update caelus.job j set ${LEASE} from (${FIRST}) f where j.ctid = f.at returning ${ROW}, null::int as seen`

/** Counts how many keys each tenant gets. That costs a fifth more, so it is used only if a tenant could exceed its share. */
const CLAIM_LIMITED = `
  with first as (${FIRST}),
  counted as (
    select *, row_number() over (partition by tenant order by priority, turn, due_at) as nth from first
  )
  update caelus.job j set ${LEASE}
  from counted f
  where j.ctid = f.at
    and (f.tenant = '' or f.nth <= $7::int - coalesce(($9::int[])[array_position($8::text[], f.tenant)], 0))
  returning ${ROW}, (select count(*)::int from first) as seen`

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
  /** Claim even if delayed keys are overdue. @see FIRST */
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
  rows.sort((a, b) => a.priority - b.priority || Number(a.turn) - Number(b.turn))
  return {
    claims: rows.map(claimOf),
    turns: new Map(rows.map(({ priority, turn }) => [priority, Number(turn)])),
    passedOver: (rows[0]?.seen ?? rows.length) - rows.length,
  }
}

const claimOf = ({ at, kind, id, tenant, reason, attempt, fence, lapses }: ClaimRow): RowClaim => ({
  key: { kind, id },
  reason,
  tenant: tenant === '' ? undefined : tenant,
  attempt,
  fence: Number(fence),
  lapses,
  place: at,
})
