import type { Claim, Renewal } from '../../kernel/index.ts'
import type { Runner } from '../pool.ts'

/**
 * Extends leases, and answers with the claims whose lease was not extended.
 *
 * A row that another transaction has locked, or changed since this statement began, is left as it is: waiting for it
 * could cost all the others their leases.
 */
const RENEW = `
  with asked as (
    select * from unnest($2::text[], $3::text[], $4::bigint[]) with ordinality as asked (kind, id, fence, nth)
  ),
  held as (
    select j.ctid as at, a.nth from asked a
    join caelus.job j on j.queue = $1 and j.kind = a.kind and j.id = a.id and j.fence = a.fence
    for update of j skip locked
  ),
  renewed as (
    update caelus.job j set lease_until = now() + $5 * interval '1 ms' from held where j.ctid = held.at
    returning held.nth
  )
  select a.nth::int, j.fence is null as gone from asked a
  left join caelus.job j on j.queue = $1 and j.kind = a.kind and j.id = a.id and j.fence = a.fence
  where a.nth not in (select nth from renewed)`

export async function renewLeases(
  on: Runner,
  queue: string,
  claims: readonly Claim[],
  leaseMs: number,
): Promise<Renewal> {
  if (claims.length === 0) return { gone: [], untouched: [] }
  const rows = await on.query<{ nth: number; gone: boolean }>(RENEW, [
    queue,
    claims.map(({ key }) => key.kind),
    claims.map(({ key }) => key.id),
    claims.map(({ fence }) => fence),
    leaseMs,
  ])
  const isGone = new Map(rows.map(({ nth, gone }) => [nth, gone]))
  return {
    gone: claims.filter((_, i) => isGone.get(i + 1) === true),
    untouched: claims.filter((_, i) => isGone.get(i + 1) === false),
  }
}
