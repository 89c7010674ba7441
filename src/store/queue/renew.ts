import type { Claim } from '../../kernel/index.ts'
import type { Runner } from '../pool.ts'

/**
 * Extends leases, and answers with the claims whose key has passed to somebody else.
 *
 * A row that somebody has locked at this moment is left out: waiting for it could cost all the others their leases. It is
 * not reported as lost either, and nobody can claim it while it is locked.
 */
const RENEW = `
  with asked as (
    select * from unnest($2::text[], $3::text[], $4::bigint[]) with ordinality as asked (kind, id, fence, nth)
  ),
  held as (
    select j.ctid as at from asked a
    join caelus.job j on j.queue = $1 and j.kind = a.kind and j.id = a.id and j.fence = a.fence
    for update of j skip locked
  ),
  renewed as (
    update caelus.job j set lease_until = now() + $5 * interval '1 ms' from held where j.ctid = held.at
  )
  select a.nth::int from asked a
  where not exists (
    select from caelus.job j where j.queue = $1 and j.kind = a.kind and j.id = a.id and j.fence = a.fence
  )`

export async function renewLeases(
  on: Runner,
  queue: string,
  claims: readonly Claim[],
  leaseMs: number,
): Promise<Claim[]> {
  if (claims.length === 0) return []
  const gone = await on.query<{ nth: number }>(RENEW, [
    queue,
    claims.map(({ key }) => key.kind),
    claims.map(({ key }) => key.id),
    claims.map(({ fence }) => fence),
    leaseMs,
  ])
  const lost = new Set(gone.map(({ nth }) => nth))
  return claims.filter((_, i) => lost.has(i + 1))
}
