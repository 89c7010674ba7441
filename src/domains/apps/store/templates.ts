import {
  isId,
  type Listed,
  listed,
  markOf,
  msOf,
  msOrNull,
  type PageOptions,
  type Runner,
  timeMark,
  type Tx,
} from '../../../store/index.ts'
import type { Grant } from '../grants/grant.ts'
import type { IgnoreRule } from '../drift/ignore-rules.ts'
import type { Signer } from '../helm/port.ts'
import type { Inspection } from '../inspection/inspection.ts'
import type { JsonObject } from '../values/json.ts'
import { FIRST_LAYOUT, type Layout } from '../values/layout.ts'
import type { PackageType, Template } from '../types.ts'

export interface TemplateRow {
  readonly id: string
  readonly product_id: string
  readonly package_type: PackageType
  readonly chart_ref: string
  readonly chart_version: string
  readonly chart_digest: string | null
  readonly version_label: string | null
  readonly default_values_json: JsonObject
  readonly overrides_json: JsonObject | null
  readonly values_schema_json: JsonObject | null
  readonly layout_json: Layout | null
  readonly capabilities_json: JsonObject
  readonly drift_ignore_json: readonly IgnoreRule[] | null
  readonly health_timeout_sec: number
  readonly inspection_json: Inspection | null
  readonly grants: readonly GrantRow[]
  readonly signed_by_json: Signer | null
  readonly created_at: Date
  readonly deleted_at: Date | null
}

interface GrantRow {
  readonly id: string
  readonly api_group: string
  readonly kind: string
  readonly name: string
  readonly objects_json: Grant['objects']
  readonly granted_at: string
  readonly revoked_at: string | null
}

const grantOf = (row: GrantRow): Grant => ({
  id: row.id,
  group: row.api_group,
  kind: row.kind,
  name: row.name,
  objects: row.objects_json,
  grantedAt: Date.parse(row.granted_at),
  revokedAt: row.revoked_at === null ? null : Date.parse(row.revoked_at),
})

const grantsOf = (template: string): string =>
  `(select coalesce(jsonb_agg(to_jsonb(g) order by g.granted_at, g.id), '[]') from caelus.template_grant g where g.template_id = ${template})`

const COLUMNS = `id, product_id, package_type, chart_ref, chart_version, chart_digest, version_label,
  default_values_json, overrides_json, values_schema_json, layout_json, capabilities_json,
  drift_ignore_json, health_timeout_sec, inspection_json, signed_by_json, created_at, deleted_at,
  ${grantsOf('product_template_version.id')} as grants`

export const templateOf = (row: TemplateRow): Template => ({
  id: row.id,
  productId: row.product_id,
  packageType: row.package_type,
  chartRef: row.chart_ref,
  chartVersion: row.chart_version,
  chartDigest: row.chart_digest,
  versionLabel: row.version_label,
  defaultValues: row.default_values_json,
  overrides: row.overrides_json,
  valuesSchema: row.values_schema_json,
  layout: row.layout_json ?? FIRST_LAYOUT,
  capabilities: row.capabilities_json,
  driftIgnore: row.drift_ignore_json ?? [],
  healthTimeoutSec: row.health_timeout_sec,
  inspection: row.inspection_json,
  grants: row.grants.map(grantOf),
  signedBy: row.signed_by_json,
  createdAt: msOf(row.created_at),
  deletedAt: msOrNull(row.deleted_at),
})

/** Also when it is deleted: what was ordered from it lives on. */
export async function findTemplate(on: Runner, id: string): Promise<Template | undefined> {
  if (!isId(id)) return undefined
  const [row] = await on.query<TemplateRow>(`select ${COLUMNS} from caelus.product_template_version where id = $1`, [
    id,
  ])
  return row && templateOf(row)
}

/** One that can be ordered: neither it nor its product is deleted. */
export async function findOrderable(on: Runner, id: string): Promise<Template | undefined> {
  if (!isId(id)) return undefined
  const [row] = await on.query<TemplateRow>(
    `select ${COLUMNS} from caelus.product_template_version
     where id = $1 and deleted_at is null
       and exists (select from caelus.product p where p.id = product_id and p.deleted_at is null)`,
    [id],
  )
  return row && templateOf(row)
}

/** It cannot be ordered until the transaction ends: an order refers to this row. */
export async function lockTemplate(tx: Tx, id: string): Promise<Template | undefined> {
  if (!isId(id)) return undefined
  const [row] = await tx.query<TemplateRow>(
    `select ${COLUMNS} from caelus.product_template_version where id = $1 and deleted_at is null for update`,
    [id],
  )
  return row && templateOf(row)
}

export async function listTemplates(
  on: Runner,
  productId: string,
  { limit, after }: PageOptions,
): Promise<Listed<Template>> {
  const rows = await on.query<TemplateRow>(
    `select ${COLUMNS} from caelus.product_template_version
     where product_id = $1 and deleted_at is null
       and ($3::timestamptz is null or (created_at, id) < ($3, $4::uuid))
     order by created_at desc, id desc limit $2`,
    [productId, limit + 1, ...timeMark(after)],
  )
  return listed(rows.map(templateOf), limit, ({ createdAt, id }) => [markOf(createdAt), id])
}

export type NewTemplate = Omit<Template, 'id' | 'packageType' | 'grants' | 'createdAt' | 'deletedAt'>

const contentsOf = (template: NewTemplate): readonly unknown[] => [
  template.productId,
  template.chartRef,
  template.chartVersion,
  template.chartDigest,
  template.defaultValues,
  template.valuesSchema,
  template.capabilities,
  template.healthTimeoutSec,
  template.overrides,
  template.layout,
  // Null: none, as in those from before there were rules. A list would be written as an array of PostgreSQL.
  template.driftIgnore.length === 0 ? null : JSON.stringify(template.driftIgnore),
]

/** The template that says the same in everything but its label. */
export async function findTwin(on: Runner, template: NewTemplate): Promise<string | undefined> {
  const [row] = await on.query<{ id: string }>(
    `select id from caelus.product_template_version
     where product_id = $1 and chart_ref = $2 and chart_version = $3 and chart_digest is not distinct from $4
       and default_values_json = $5 and values_schema_json::jsonb is not distinct from $6::jsonb and capabilities_json = $7
       and health_timeout_sec = $8 and overrides_json is not distinct from $9
       and layout_json = $10 and drift_ignore_json is not distinct from $11::jsonb and deleted_at is null`,
    contentsOf(template),
  )
  return row?.id
}

export async function insertTemplate(tx: Tx, template: NewTemplate): Promise<Template> {
  const [row] = await tx.query<TemplateRow>(
    `insert into caelus.product_template_version
       (product_id, chart_ref, chart_version, chart_digest, default_values_json, values_schema_json, capabilities_json,
        health_timeout_sec, overrides_json, layout_json, drift_ignore_json, version_label, inspection_json, signed_by_json)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) returning ${COLUMNS}`,
    [...contentsOf(template), template.versionLabel, template.inspection, template.signedBy],
  )
  return templateOf(row as TemplateRow)
}

export async function removeTemplate(tx: Tx, id: string): Promise<void> {
  await tx.query('update caelus.product_template_version set deleted_at = now() where id = $1', [id])
}

/** Those that were revoked included. */
export async function findGrants(on: Runner, templateId: string): Promise<readonly Grant[]> {
  const [row] = await on.query<{ grants: readonly GrantRow[] }>(`select ${grantsOf('$1')} as grants`, [templateId])
  return (row?.grants ?? []).map(grantOf)
}

export type NewGrant = Pick<Grant, 'group' | 'kind' | 'name' | 'objects'>

export async function insertGrant(tx: Tx, templateId: string, grant: NewGrant): Promise<void> {
  await tx.query(
    `insert into caelus.template_grant (template_id, api_group, kind, name, objects_json) values ($1, $2, $3, $4, $5)`,
    [templateId, grant.group, grant.kind, grant.name, JSON.stringify(grant.objects)],
  )
}

/** False: there is no such grant of the template, or it is revoked already. */
export async function revokeGrant(tx: Tx, templateId: string, id: string): Promise<boolean> {
  if (!isId(id)) return false
  const rows = await tx.query(
    `update caelus.template_grant set revoked_at = now() where template_id = $1 and id = $2 and revoked_at is null returning id`,
    [templateId, id],
  )
  return rows.length > 0
}
