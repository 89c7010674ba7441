import { createHash } from 'node:crypto'
import {
  FailureError,
  keyText,
  storable,
  systemClock,
  type Clock,
  type DecisionRecord,
  type DecisionSink,
} from '../kernel/index.ts'
import type { Pool, Runner } from './pool.ts'

export interface DecisionStoreOptions {
  readonly pool: Pool
  /**
   * Most records that wait to be written. Further ones are dropped, to bound the memory in an outage.
   * @default 10_000
   */
  readonly maxWaiting?: number
  /** How long the first record waits for others to share its statement and its notification. @default 250 */
  readonly collectMs?: number
  readonly onDropped?: (record: DecisionRecord, error: unknown) => void
  readonly clock?: Clock
}

export interface DecisionStore {
  readonly keep: DecisionSink
  /** Writes what waits, and resolves when it is written or dropped. */
  readonly flush: () => Promise<void>
}

/** Most rows in one statement. */
const MOST_ROWS = 200

/**
 * Writes decisions to a table, many in one statement. A record that equals the one before it, but for its times and its
 * fence, adds to the count of that row instead of a row.
 */
export function decisionStore({
  pool,
  maxWaiting = 10_000,
  collectMs = 250,
  onDropped = () => {},
  clock = systemClock,
}: DecisionStoreOptions): DecisionStore {
  let waiting: DecisionRecord[] = []
  let written = Promise.resolve()
  let cancel: (() => void) | undefined

  const write = async (records: readonly DecisionRecord[]): Promise<void> => {
    try {
      await insertDecisions(pool, records)
    } catch (error) {
      const isOfOne = records.length > 1 && !(error instanceof FailureError)
      if (!isOfOne) return records.forEach((record) => onDropped(record, error))
      for (const record of records) await write([record])
    }
  }
  /** Only what waits now: what comes during a statement is collected for the next one. */
  const writeWaiting = async (): Promise<void> => {
    for (let left = waiting.length; left > 0;) {
      const batch = waiting.slice(0, Math.min(left, MOST_ROWS))
      await write(batch)
      waiting = waiting.slice(batch.length)
      left -= batch.length
    }
  }
  const writeNext = (): Promise<void> => (written = written.then(writeWaiting))
  return {
    keep(record) {
      if (waiting.length >= maxWaiting) {
        return onDropped(record, new Error(`${waiting.length} decisions wait to be written already`))
      }
      waiting.push(record)
      cancel ??= clock.after(collectMs, () => {
        cancel = undefined
        void writeNext()
      })
    },
    async flush() {
      cancel?.()
      cancel = undefined
      while (waiting.length > 0) await writeNext()
    },
  }
}

interface Row {
  readonly record: DecisionRecord
  readonly input: string
  readonly decision: string
  readonly digest: Buffer
  repeats: number
  lastAt: number
}

const rowOf = (record: DecisionRecord): Row => {
  const { outcome, because, failure } = record.run
  const [input, decision] = [JSON.stringify(record.input ?? null), JSON.stringify(record.decision ?? null)]
  const end = JSON.stringify([outcome, because, failure, record.masked])
  const digest = createHash('sha256').update(`${input}\n${decision}\n${end}`).digest().subarray(0, 16)
  return { record, input, decision, digest, repeats: 0, lastAt: record.at }
}

/** Equal records in a row are one. */
function rowsOf(records: readonly DecisionRecord[]): Row[] {
  const lastOf = new Map<string, Row>()
  return records.flatMap((record) => {
    const row = rowOf(record)
    const name = `${record.controller} ${keyText(record.key)}`
    const last = lastOf.get(name)
    if (last === undefined || !last.digest.equals(row.digest)) {
      lastOf.set(name, row)
      return [row]
    }
    last.repeats += 1
    last.lastAt = record.at
    return []
  })
}

/** Only the first record of a key can repeat the newest row of the table. */
const INSERT = `
  with given as (
    select *, row_number() over (partition by controller, kind, key_id order by n) = 1 as is_first
    from unnest(
      $1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::bigint[], $6::json[], $7::json[], $8::json[],
      $9::text[], $10::text[], $11::jsonb[], $12::int[], $13::int[], $14::bytea[], $15::int[], $16::timestamptz[],
      $17::text[]
    ) with ordinality as given (
      controller, kind, key_id, at, fence, input, decision, masked,
      outcome, because, failure, ms, attempt, digest, repeats, last_at, tenant, n
    )
  ), repeated as (
    update caelus.decision kept
    set repeats = kept.repeats + 1 + given.repeats, last_at = given.last_at
    from given
    cross join lateral (
      select id, digest from caelus.decision newest
      where newest.key_id = given.key_id and newest.kind = given.kind and newest.controller = given.controller
      order by id desc limit 1
    ) newest
    where given.is_first and newest.digest = given.digest and kept.id = newest.id
    returning given.n
  )
  insert into caelus.decision
    (controller, kind, key_id, at, fence, input, decision, masked,
     outcome, because, failure, ms, attempt, digest, repeats, last_at, tenant)
  select controller, kind, key_id, at, fence, input, decision,
    array(select json_array_elements_text(masked)),
    outcome, because, failure, ms, attempt, digest, repeats, last_at, tenant
  from given where n not in (select n from repeated) order by n`

async function insertDecisions(on: Runner, records: readonly DecisionRecord[]): Promise<void> {
  const rows = rowsOf(records)
  const column = <T>(value: (record: DecisionRecord) => T): T[] => rows.map(({ record }) => value(record))
  await on.query(INSERT, [
    column(({ controller }) => controller),
    column(({ key }) => key.kind),
    column(({ key }) => key.id),
    column(({ at }) => new Date(at)),
    column(({ fence }) => fence ?? null),
    rows.map(({ input }) => input),
    rows.map(({ decision }) => decision),
    column(({ masked }) => JSON.stringify(masked)),
    column(({ run }) => run.outcome),
    column(({ run }) => (run.because === undefined ? null : storable(run.because))),
    column(({ run }) => (run.failure === undefined ? null : JSON.stringify(run.failure))),
    column(({ run }) => Math.round(run.ms)),
    column(({ run }) => run.attempt),
    rows.map(({ digest }) => digest),
    rows.map(({ repeats }) => repeats),
    rows.map(({ lastAt }) => new Date(lastAt)),
    column(({ tenant }) => tenant ?? null),
  ])
}
