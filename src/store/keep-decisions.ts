import { atEnd, type DecisionLog, type Service } from '../kernel/index.ts'
import { decisionStore } from './decision-store.ts'
import type { Pool } from './pool.ts'

export interface KeepDecisionsOptions {
  /** As the role caelus_worker. */
  readonly pool: Pool
  readonly decisions: DecisionLog
  readonly onError: (error: unknown) => void
}

/** Writes the decisions of a process to the database, for timelines and replay. Stopping writes what waits. */
export function keepDecisions({ pool, decisions, onError }: KeepDecisionsOptions): Service {
  const { keep, flush } = decisionStore({ pool, onDropped: (_, error) => onError(error) })
  const stop = decisions.onAdd(keep)
  return atEnd('decisions', async () => {
    stop()
    await flush()
  })
}
