import type { Claim, Key, WakeReason } from '../../kernel/index.ts'
import type { Runner } from '../pool.ts'
import { lease } from './claim.ts'

/**
 * Ignores turn, due time and tenant. The key gets a place in line as well, so that other workers find it should this
 * process die.
 */
const CLAIM_ONE = `
  update caelus.job j set
    turn = coalesce(turn, caelus.last_turn(queue, tenant, priority) + 1), due_at = least(due_at, now()),
    ${lease('$4', '$5')}
  where queue = $1 and kind = $2 and id = $3 and (lease_until is null or lease_until <= now())
  returning tenant, reason, attempt, fence`

interface Row {
  readonly tenant: string
  readonly reason: WakeReason
  readonly attempt: number
  readonly fence: string
}

/** Claims one key by name, whatever its lapses. Undefined: the queue does not have it, or another claim holds it. */
export async function claimOne(
  on: Runner,
  { queue, key, worker, leaseMs }: { queue: string; key: Key; worker: string; leaseMs: number },
): Promise<Claim | undefined> {
  const [row] = await on.query<Row>(CLAIM_ONE, [queue, key.kind, key.id, worker, leaseMs])
  if (row === undefined) return undefined
  const { tenant, reason, attempt, fence } = row
  return { key, reason, tenant: tenant === '' ? undefined : tenant, attempt, fence: Number(fence), lapses: 0 }
}
