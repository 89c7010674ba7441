import type { Runner } from '../pool.ts'
import { crowded } from './claim.ts'

export interface Ahead {
  /** The time until the earliest delayed key is due: zero or less if it is overdue. */
  readonly nextMs: number | undefined
  /** An excluded tenant has a crowd in line, so that the next claim goes tenant by tenant. */
  readonly isCrowded: boolean
}

export interface LookAheadCall {
  readonly queue: string
  /** The last turns taken, by priority. */
  readonly turns: ReadonlyMap<number, number>
  /** Tenants that have used up their share. */
  readonly full: readonly string[]
}

/**
 * Stores the turns served last, behind which new keys line up, and answers what the next claim needs to know.
 *
 * Separate from the claim, so that a claim does not wait for it. Until it is done, new keys line up a little too early.
 */
const LOOK_AHEAD = `
  with served as (
    update caelus.job_turn t set served = taken.turn
    from unnest($2::int[], $3::bigint[]) as taken (priority, turn)
    where t.queue = $1 and t.priority = taken.priority and t.served < taken.turn
  )
  select (
    select extract(epoch from due_at - now()) * 1000 from caelus.job
    where queue = $1 and turn is null and due_at < 'infinity' order by due_at limit 1
  )::float8 as next_ms,
  ${crowded('select unnest($4::text[]) union all select tenant from caelus.frozen_tenant where queue = $1')} as crowded`

export async function lookAhead(on: Runner, { queue, turns, full }: LookAheadCall): Promise<Ahead> {
  // In one order in all processes, or their updates could wait for each other.
  const inOrder = [...turns].toSorted(([a], [b]) => a - b)
  const [row] = await on.query<{ next_ms: number | null; crowded: boolean }>(LOOK_AHEAD, [
    queue,
    inOrder.map(([priority]) => priority),
    inOrder.map(([, turn]) => turn),
    full,
  ])
  return { nextMs: row?.next_ms ?? undefined, isCrowded: row?.crowded ?? false }
}
