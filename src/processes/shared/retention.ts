import type { Retention } from '../../config/index.ts'
import { atEnd, type Service } from '../../kernel/index.ts'
import { AS_PLATFORM, openPool, retention, type Role } from '../../store/index.ts'

/** Deletes old rows that `role` may delete, as the CAELUS_KEEP_ variables say. Part of every process with a database. */
export function retentionServices(
  { keepDecisions, keepHistory, keepIdempotencyKeys, keepClusterEvents }: Retention,
  { url, role }: { readonly url: string; readonly role: Role },
  onError: (error: unknown) => void,
): Service[] {
  const pool = openPool({ url, applicationName: 'caelus retention', role, max: 1, settings: AS_PLATFORM })
  const keep = {
    decisionsMs: keepDecisions,
    historyMs: keepHistory,
    idempotencyMs: keepIdempotencyKeys,
    clusterEventsMs: keepClusterEvents,
  }
  return [atEnd('retention connection', () => pool.end()), retention({ pool, role, keep, onError })]
}
