import type { DecisionRecord, DecisionSink, Key } from '../kernel/index.ts'
import { Batch } from './batch.ts'
import type { Pool, Runner } from './pool.ts'

export interface DecisionStoreOptions {
  readonly pool: Pool
  /**
   * Most records that wait to be written. Further ones are dropped, to bound the memory in an outage.
   * @default 10_000
   */
  readonly maxWaiting?: number
  readonly onDropped?: (record: DecisionRecord, error: unknown) => void
}

/** Writes decisions to a table, several in one statement. */
export function decisionStore({ pool, maxWaiting = 10_000, onDropped = () => {} }: DecisionStoreOptions): DecisionSink {
  let waiting = 0
  const batch = new Batch<DecisionRecord, void>(async (records) => {
    await insertDecisions(pool, records)
    return []
  })
  return (record) => {
    if (waiting >= maxWaiting) return onDropped(record, new Error(`${waiting} decisions wait to be written already`))
    waiting += 1
    batch
      .add(record)
      .catch((error: unknown) => onDropped(record, error))
      .finally(() => void (waiting -= 1))
  }
}

async function insertDecisions(on: Runner, records: readonly DecisionRecord[]): Promise<void> {
  await on.query(
    `insert into caelus.decision (controller, kind, key_id, at, fence, input, decision, tenant)
     select * from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::bigint[], $6::jsonb[], $7::jsonb[], $8::text[])`,
    [
      records.map(({ controller }) => controller),
      records.map(({ key }) => key.kind),
      records.map(({ key }) => key.id),
      records.map(({ at }) => new Date(at)),
      records.map(({ fence }) => fence ?? null),
      records.map(({ input }) => JSON.stringify(input ?? null)),
      records.map(({ decision }) => JSON.stringify(decision ?? null)),
      records.map(({ tenant }) => tenant ?? null),
    ],
  )
}

/** The decisions for a key, newest first. */
export async function decisionsOf(on: Runner, key: Key, limit = 50): Promise<DecisionRecord[]> {
  const rows = await on.query<{
    controller: string
    at: Date
    fence: string | null
    input: unknown
    decision: unknown
  }>(
    `select controller, at, fence, input, decision from caelus.decision
     where kind = $1 and key_id = $2 order by id desc limit $3`,
    [key.kind, key.id, limit],
  )
  return rows.map(({ controller, at, fence, input, decision }) => ({
    controller,
    key,
    at: at.getTime(),
    ...(fence !== null && { fence: Number(fence) }),
    input,
    decision,
  }))
}
