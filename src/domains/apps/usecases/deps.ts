import type { Clock, Random } from '../../../kernel/index.ts'
import type { Pool, PostgresQueue } from '../../../store/index.ts'
import type { Charts } from '../helm/port.ts'
import type { KeyRing } from '../values/seal.ts'

/** What the use cases work with; the composition root fills it. */
export interface UseCaseDeps {
  readonly pool: Pool
  /** The queue named `APPS_QUEUE`. */
  readonly queue: Pick<PostgresQueue, 'wakeIn'>
  /** Absent: whoever writes a write-only value is told that there is no key. */
  readonly ring?: KeyRing | undefined
  readonly charts: Charts
  /** The ingress class that every deployment gets. */
  readonly ingressClass: string
  readonly clock: Clock
  readonly random: Random
}
