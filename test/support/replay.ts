import { recordsOf, replay, type Decided, type DecisionRecord } from '../../src/kernel/decisions.ts'
import type { Replay, Replays } from '../../src/kernel/index.ts'

/** A record as it is read from the table: what was decided, masked, after a trip through JSON. */
export function recorded(controller: string, decided: Decided): DecisionRecord {
  const claim = { controller, key: { kind: 'Any', id: 'any' } }
  const [record] = recordsOf([decided], claim, { outcome: 'settled', ms: 1, attempt: 0 })
  return JSON.parse(JSON.stringify(record)) as DecisionRecord
}

/** What a replay of the record answers. */
export const replayed = (controller: string, decided: Decided, replays: Replays): Replay =>
  replay(recorded(controller, decided), replays)
