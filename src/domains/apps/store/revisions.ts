import { listed, type Listed, msOf, notOurs, type PageOptions, type Runner, type Tx } from '../../../store/index.ts'
import type { JsonObject } from '../values/json.ts'
import type { SealedValues, Template } from '../types.ts'
import type { Intent } from './deployments.ts'

/** `pending`: it is the present one, and on its way. */
export type RevisionOutcome = 'pending' | 'ready' | 'failed' | 'rolled_back' | 'superseded'

/** What a generation of a deployment asked for, and what became of it. */
export interface Revision extends Intent {
  readonly generation: number
  readonly template: Pick<Template, 'id' | 'chartVersion' | 'versionLabel'> & { readonly isDeleted: boolean }
  /** The id of a user, or the name of what acted without one. */
  readonly changedBy: string
  /** The generation whose content this one has again. */
  readonly rolledBackTo: number | null
  readonly outcome: RevisionOutcome
  readonly failureCode: string | null
  readonly helmRevision: number | null
  readonly createdAt: number
}

export interface ListedRevision extends Revision {
  /** What the generation before it asked for. `null`: it is not kept, or there was none. */
  readonly before: Intent | null
}

interface RevisionRow {
  readonly generation: string
  readonly template_id: string
  readonly domainname: string
  readonly user_values_json: JsonObject
  readonly sealed_values: SealedValues
  readonly changed_by: string
  readonly rolled_back_to: string | null
  readonly outcome: RevisionOutcome
  readonly failure_code: string | null
  readonly helm_revision: string | null
  readonly created_at: Date
  readonly chart_version: string
  readonly version_label: string | null
  readonly template_deleted: boolean
  readonly before: Pick<RevisionRow, 'template_id' | 'domainname' | 'user_values_json' | 'sealed_values'> | null
}

/** The deployment itself tells what became of its present generation. */
const SELECT = `
  select r.generation, r.template_id, r.domainname, r.user_values_json, r.sealed_values, r.changed_by, r.rolled_back_to,
    coalesce(r.outcome, caelus.generation_outcome(d)) as outcome,
    case when r.outcome is null then caelus.generation_failure(d) else r.failure_code end as failure_code,
    case when r.outcome is null then caelus.generation_helm_revision(d) else r.helm_revision end as helm_revision,
    r.created_at, t.chart_version, t.version_label, t.deleted_at is not null as template_deleted, to_jsonb(b) as before
  from caelus.deployment_revision r
  join caelus.deployment d on d.id = r.deployment_id
  join caelus.product_template_version t on t.id = r.template_id
  left join lateral (
    select template_id, domainname, user_values_json, sealed_values from caelus.deployment_revision
    where deployment_id = r.deployment_id and generation < r.generation order by generation desc limit 1
  ) b on true
  where r.deployment_id = $1`

type IntentRow = NonNullable<RevisionRow['before']>

const intentOf = (row: IntentRow): Intent => ({
  domainname: row.domainname,
  userValues: row.user_values_json,
  sealedValues: row.sealed_values,
  desiredTemplateId: row.template_id,
})

const numberOrNull = (text: string | null): number | null => (text === null ? null : Number(text))

const revisionOf = (row: RevisionRow): ListedRevision => ({
  ...intentOf(row),
  generation: Number(row.generation),
  template: {
    id: row.template_id,
    chartVersion: row.chart_version,
    versionLabel: row.version_label,
    isDeleted: row.template_deleted,
  },
  changedBy: row.changed_by,
  rolledBackTo: numberOrNull(row.rolled_back_to),
  outcome: row.outcome,
  failureCode: row.failure_code,
  helmRevision: numberOrNull(row.helm_revision),
  createdAt: msOf(row.created_at),
  before: row.before && intentOf(row.before),
})

const GENERATION = /^\d{1,15}$/

/** Newest first. */
export async function listRevisions(
  on: Runner,
  deploymentId: string,
  { limit, after }: PageOptions,
): Promise<Listed<ListedRevision>> {
  const [last = null] = after ?? []
  if (last !== null && !GENERATION.test(last)) throw notOurs()
  const rows = await on.query<RevisionRow>(
    `${SELECT} and ($3::bigint is null or r.generation < $3) order by r.generation desc limit $2`,
    [deploymentId, limit + 1, last],
  )
  return listed(rows.map(revisionOf), limit, ({ generation }) => [String(generation)])
}

export async function findRevision(
  on: Runner,
  deploymentId: string,
  generation: number,
): Promise<ListedRevision | undefined> {
  const [row] = await on.query<RevisionRow>(`${SELECT} and r.generation = $2`, [deploymentId, generation])
  return row && revisionOf(row)
}

export async function markRolledBack(tx: Tx, deploymentId: string, generation: number, to: number): Promise<void> {
  await tx.query(
    'update caelus.deployment_revision set rolled_back_to = $3 where deployment_id = $1 and generation = $2',
    [deploymentId, generation, to],
  )
}

export interface SealedRevision {
  readonly generation: number
  readonly sealedValues: SealedValues
}

/** Those of one deployment that hold write-only values. */
export async function sealedRevisions(on: Runner, deploymentId: string): Promise<SealedRevision[]> {
  const rows = await on.query<{ generation: string; sealed_values: SealedValues }>(
    `select generation, sealed_values from caelus.deployment_revision
     where deployment_id = $1 and sealed_values <> '{}' order by generation`,
    [deploymentId],
  )
  return rows.map((row) => ({ generation: Number(row.generation), sealedValues: row.sealed_values }))
}

export async function writeSealedRevision(
  tx: Tx,
  deploymentId: string,
  { generation, sealedValues }: SealedRevision,
): Promise<void> {
  await tx.query(
    'update caelus.deployment_revision set sealed_values = $3 where deployment_id = $1 and generation = $2',
    [deploymentId, generation, sealedValues],
  )
}
