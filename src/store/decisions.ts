import type { Failure, Key, ReplayableRecord, RunOutcome } from '../kernel/index.ts'
import { listed, notOurs, type Listed, type PageOptions } from './page.ts'
import type { Runner } from './pool.ts'

/** The channel that migration 0021 notifies when rows were added. */
export const DECISIONS_CHANNEL = 'caelus_decision'

/** A decision without its input. What is `null` was not recorded by the version that made it. */
export interface DecisionRow {
  readonly id: string
  readonly controller: string
  readonly key: Key
  readonly at: number
  readonly decision: unknown
  readonly outcome: RunOutcome | null
  readonly because: string | null
  readonly failure: Failure | null
  readonly ms: number | null
  readonly attempt: number | null
  /** How often the same was decided again, from the same input and with the same end, and when last. */
  readonly repeats: number
  readonly lastAt: number
}

export interface DecisionDetailRow extends DecisionRow, ReplayableRecord {}

export interface DecisionFilter {
  readonly controller?: string | undefined
  readonly kind?: string | undefined
  readonly objectId?: string | undefined
  readonly outcome?: RunOutcome | undefined
  /** Only those added after the row with this id. */
  readonly since?: string | undefined
}

interface Columns {
  readonly id: string
  readonly controller: string
  readonly kind: string
  readonly key_id: string
  readonly at: Date
  readonly decision: unknown
  readonly outcome: RunOutcome | null
  readonly because: string | null
  readonly failure: Failure | null
  readonly ms: number | null
  readonly attempt: number | null
  readonly repeats: number
  readonly last_at: Date | null
}

const COLUMNS = 'id, controller, kind, key_id, at, decision, outcome, because, failure, ms, attempt, repeats, last_at'

const fromColumns = ({ kind, key_id: id, at, last_at: last, ...rest }: Columns): DecisionRow => ({
  ...rest,
  key: { kind, id },
  at: at.getTime(),
  lastAt: (last ?? at).getTime(),
})

/** Newest first. */
export async function listDecisions(
  on: Runner,
  { controller, kind, objectId, outcome, since }: DecisionFilter,
  { limit, after }: PageOptions,
): Promise<Listed<DecisionRow>> {
  const [before] = after ?? []
  if (before !== undefined && !isRowId(before)) throw notOurs()
  const conditions = { 'controller =': controller, 'kind =': kind, 'key_id =': objectId, 'outcome =': outcome }
  const given = Object.entries({ ...conditions, 'id <': before, 'id >': since }).filter(
    ([, value]) => value !== undefined,
  )
  const where = given.map(([condition], index) => `${condition} $${index + 2}`).join(' and ')
  const rows = await on.query<Columns>(
    `select ${COLUMNS} from caelus.decision ${where && `where ${where}`} order by id desc limit $1`,
    [limit + 1, ...given.map(([, value]) => value)],
  )
  return listed(rows.map(fromColumns), limit, ({ id }) => [id])
}

export async function findDecision(on: Runner, id: string): Promise<DecisionDetailRow | undefined> {
  if (!isRowId(id)) return undefined
  const [row] = await on.query<Columns & { input: unknown; masked: string[] | null }>(
    `select ${COLUMNS}, input, masked from caelus.decision where id = $1`,
    [id],
  )
  return row && { ...fromColumns(row), input: row.input, masked: row.masked }
}

/** The id of the newest decision; `0`: there is none. */
export async function newestDecision(on: Runner): Promise<string> {
  const [row] = await on.query<{ id: string }>('select coalesce(max(id), 0) as id from caelus.decision')
  return row?.id ?? '0'
}

/** The decisions of a controller for a key, newest first. Kinds of two controllers may have the same name. */
export const decisionsOf = async (
  on: Runner,
  controller: string,
  { kind, id }: Key,
  limit = 50,
): Promise<readonly DecisionRow[]> => (await listDecisions(on, { controller, kind, objectId: id }, { limit })).items

/** Checked before a query: PostgreSQL answers an invalid number with an error instead of no row. */
const isRowId = (text: string): boolean => /^\d{1,18}$/.test(text)
