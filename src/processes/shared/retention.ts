import type { Retention } from '../../config/index.ts'
import { atEnd, type Service } from '../../kernel/index.ts'
import { openPool, retention } from '../../store/index.ts'

/**
 * Deletes old rows, as the CAELUS_KEEP_ variables say. Part of every worker that has a database; the API has
 * no right to delete them.
 */
export function retentionServices(
  { keepDecisions, keepHistory, keepIdempotencyKeys }: Retention,
  databaseUrl: string,
  onError: (error: unknown) => void,
): Service[] {
  const pool = openPool({ url: databaseUrl, applicationName: 'caelus retention', role: 'caelus_worker', max: 1 })
  const keep = { decisionsMs: keepDecisions, historyMs: keepHistory, idempotencyMs: keepIdempotencyKeys }
  return [atEnd('retention connection', () => pool.end()), retention({ pool, keep, onError })]
}
