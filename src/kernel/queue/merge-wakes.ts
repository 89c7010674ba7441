import { isUserMade, strongerReason } from '../key.ts'
import type { Wake } from './queue.ts'

/** One wake in place of two of the same key: the earlier time, the stronger reason, and the tenant as a queue keeps it. */
export function mergeWakes(first: Wake, second: Wake): Wake {
  const tenant = tenantOf(first, second)
  return {
    reason: strongerReason(first.reason, second.reason),
    afterMs: Math.min(first.afterMs ?? 0, second.afterMs ?? 0),
    ...(tenant !== undefined && { tenant }),
  }
}

/** The merged wake counts as made by a user if one of the two was: the tenant of the other must not move the key. */
function tenantOf(first: Wake, second: Wake): string | undefined {
  const byUsers = [second, first].filter(({ reason }) => isUserMade(reason))
  const naming = byUsers.length > 0 ? byUsers : [first, second]
  return naming.find(({ tenant = '' }) => tenant !== '')?.tenant
}
