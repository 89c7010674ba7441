import { aborted, every, type Service } from '../kernel/index.ts'
import type { Listener } from './listen.ts'
import type { Runner } from './pool.ts'

/** The channel of changes that users may see; the payload is a `RowChange` as JSON. */
export const CHANGES = 'caelus_row_change'

/** A change of a row, as the trigger function `caelus.notify_change` sends it. Topic, kind and columns are its arguments. */
export interface RowChange {
  readonly topic: string
  readonly kind: string
  readonly id: string
  /** Whose row it is. Null: the table has no tenant. */
  readonly tenant: string | null
  /** Changes that follow each other within moments are sent as the last one. */
  readonly operation: 'insert' | 'update' | 'delete'
  /** By the names in the trigger. Empty if they are too long for a notice. */
  readonly columns: Readonly<Record<string, unknown>>
}

export interface UnsentChangesOptions {
  /** As the role caelus_api. */
  readonly pool: Runner
  readonly listener: Pick<Listener, 'subscribe'>
  /** How soon after a notice the changes that came with it are sent. @default 50 */
  readonly afterMs?: number
  /** How often without a notice: for a transaction that left a change and took long to commit. @default 5_000 */
  readonly everyMs?: number
  readonly onError?: (error: unknown) => void
}

/** Sends the changes that a burst left unsent: at most one transaction in 10 ms sends its own notification. */
export const unsentChanges = (options: UnsentChangesOptions): Service => {
  const { pool, listener, afterMs = 50, everyMs = 5_000, onError } = options
  // A stop does not wait for a server that is silent: the next process sends what is left.
  const send = (signal: AbortSignal): Promise<unknown> =>
    Promise.race([pool.query('select caelus.send_unsent_changes()'), aborted(signal)])
  return every('unsent changes', everyMs, send, {
    togetherMs: afterMs,
    wakeOn: (wake) => listener.subscribe(CHANGES, wake),
    ...(onError && { onError }),
  })
}
