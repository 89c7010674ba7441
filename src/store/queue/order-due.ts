import type { Runner } from '../pool.ts'

/**
 * Gives a turn to delayed keys that are due, by the rule of `caelus.wake_all`. Answers how many there were.
 *
 * Separate from the claim, because a statement cannot read rows in an order that it writes itself.
 */
const LINE_UP = `
  with due as (
    select ctid as at, tenant, priority, due_at from caelus.job
    where queue = $1 and turn is null and due_at <= now()
    order by due_at limit 1000
    for update skip locked
  ),
  placed as (
    select at, last_turn + row_number() over (partition by tenant, priority order by due_at) as turn
    from due join (
      select tenant, priority, caelus.last_turn($1, tenant, priority) as last_turn from due group by tenant, priority
    ) last using (tenant, priority)
  ),
  lined as (update caelus.job j set turn = placed.turn from placed where j.ctid = placed.at returning 1)
  select count(*)::int as count from lined`

export async function lineUp(on: Runner, queue: string): Promise<number> {
  const [row] = await on.query<{ count: number }>(LINE_UP, [queue])
  return row?.count ?? 0
}
