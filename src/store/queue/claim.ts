import type { Claim, Share, WakeReason } from '../../kernel/index.ts'
import type { Runner } from '../pool.ts'

/**
 * The first keys in line that nobody holds. A lease that has run out is in line like any other key.
 *
 * - `skip locked` lets workers pass each other. What is kept is a lease, not a lock: the statement is its own transaction.
 * - A tenant whose keys already fill its share is passed over, and so is one that an operator froze.
 * - Nobody comes first, unless `$6`, while delayed keys are overdue: they have to line up, and may come before all others.
 */
const FIRST = `
  select ctid as at, tenant, priority, turn, due_at from caelus.job
  where queue = $1 and turn is not null
    and (lease_until is null or lease_until <= now())
    and tenant <> all ($5::text[])
    and tenant <> all (array(select tenant from caelus.frozen_tenant where queue = $1))
    and ($6 or not exists (select from caelus.job where queue = $1 and turn is null and due_at <= now()))
  order by priority, turn, due_at
  limit $3
  for update skip locked`

/** Only lease columns are written, which no index knows: the new version stays on its page and no index grows. */
const LEASE = `
  locked_by = $2, claimed_at = now(), lease_until = now() + $4 * interval '1 ms', fence = nextval('caelus.fence')`

const ROW = 'j.ctid::text as at, j.kind, j.id, j.tenant, j.reason, j.attempt, j.fence, j.priority, j.turn'

/**
 * Rows are found again by `ctid`: they are locked, so it cannot change; one that changed before the lock is left for the
 * next claim.
 */
const CLAIM = `
  update caelus.job j set ${LEASE} from (${FIRST}) f where j.ctid = f.at returning ${ROW}, null::int as seen`

/** Counts how many keys each tenant gets. That costs a fifth more, so only if some tenant could get more than its share. */
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
  readonly priority: number
  readonly turn: string
  readonly seen: number | null
}

export interface Claimed {
  readonly claims: readonly Claim[]
  /** Where the row of each claim is, in the same order. True until somebody writes it. */
  readonly places: readonly string[]
  /** The last turn that was taken, by priority. */
  readonly turns: ReadonlyMap<number, number>
  /** Keys that were free but beyond their tenant's share. */
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
    places: rows.map(({ at }) => at),
    turns: new Map(rows.map(({ priority, turn }) => [priority, Number(turn)])),
    passedOver: (rows[0]?.seen ?? rows.length) - rows.length,
  }
}

const claimOf = ({ kind, id, tenant, reason, attempt, fence }: ClaimRow): Claim => ({
  key: { kind, id },
  reason,
  tenant: tenant === '' ? undefined : tenant,
  attempt,
  fence: Number(fence),
})
