import type { Runner } from '../pool.ts'

/**
 * Stores the turns served last, behind which new keys line up, and answers the time until the earliest delayed key is
 * due: zero or less if it is overdue.
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
  )::float8 as next_ms`

export async function lookAhead(
  on: Runner,
  queue: string,
  turns: ReadonlyMap<number, number>,
): Promise<number | undefined> {
  const [row] = await on.query<{ next_ms: number | null }>(LOOK_AHEAD, [queue, [...turns.keys()], [...turns.values()]])
  return row?.next_ms ?? undefined
}
