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
import type { Failure } from '../../../kernel/index.ts'
import type { Deployment, DeploymentStatus, Product, Template } from '../types.ts'
import { DEPLOYMENT_COLUMNS, deploymentOf, type DeploymentRow } from './deployment-columns.ts'

/** With what people want to see beside it. */
export interface ListedDeployment extends Deployment {
  readonly email: string
  /** `null`: it is in no cluster, or the reader does not see that one. */
  readonly clusterName: string | null
  readonly product: Pick<Product, 'id' | 'name' | 'icon'>
  readonly statusSince: number
  /** Of the desired template. */
  readonly chartVersion: string
  /** The template that it could be moved to; see `NEWER`. */
  readonly upgrade: OfferedTemplate | null
}

export interface OfferedTemplate extends Pick<Template, 'id' | 'chartVersion' | 'versionLabel'> {
  readonly publishedAt: number
}

/** `userId`: as the path has it; a deployment of another user is not found there. */
export interface DeploymentRef {
  readonly id: string
  readonly userId?: string | undefined
}

export interface DeploymentFilter extends PageOptions {
  readonly userId?: string | undefined
  readonly productId?: string | undefined
  readonly clusterId?: string | undefined
  /** Exactly this `deploymentUid` or domain, however it is capitalised. */
  readonly name?: string | undefined
  readonly status?: DeploymentStatus | undefined
  /** Those with a newer template to be moved to. @default false */
  readonly behind?: boolean | undefined
  /** @default false */
  readonly withDeleted?: boolean | undefined
}

interface ListedRow extends DeploymentRow {
  readonly email: string
  readonly cluster_name: string | null
  readonly product_id: string
  readonly product_name: string
  readonly product_icon: string | null
  readonly status_since: Date
  readonly run_after: Date | null
  readonly chart_version: string
  readonly newer_id: string | null
  readonly newer_chart_version: string
  readonly newer_version_label: string | null
  readonly newer_created_at: Date
}

/**
 * The canonical template of the product, or the last published one if none is canonical, where it was published after the
 * desired one `t` and is not deleted. The order of publication counts, not the version of the chart.
 */
const NEWER = `
  select n.id, n.chart_version, n.version_label, n.created_at from caelus.product_template_version n
  where n.product_id = t.product_id and n.deleted_at is null and p.deleted_at is null and d.deleted_at is null
    and (p.template_id is null or n.id = p.template_id) and (n.created_at, n.id) > (t.created_at, t.id)
  order by n.created_at desc, n.id desc limit 1`

const SELECT = `
  select ${DEPLOYMENT_COLUMNS}, d.status_since, u.email, c.name as cluster_name,
    case when j.status = 'queued' then j.run_after end as run_after, p.id as product_id, p.name as product_name, p.icon as product_icon,
    t.chart_version, newer.id as newer_id, newer.chart_version as newer_chart_version,
    newer.version_label as newer_version_label, newer.created_at as newer_created_at
  from caelus.deployment d
  join caelus.user u on u.id = d.user_id
  join caelus.product_template_version t on t.id = d.desired_template_id
  join caelus.product p on p.id = t.product_id
  left join tenant.clusters c on c.id = d.cluster_id
  left join caelus.open_reconcile_job j on j.deployment_id = d.id::text
  left join lateral (${NEWER}) newer on true`

const listedOf = (row: ListedRow): ListedDeployment => ({
  ...deploymentOf(row),
  email: row.email,
  clusterName: row.cluster_name,
  product: { id: row.product_id, name: row.product_name, icon: row.product_icon },
  statusSince: msOf(row.status_since),
  chartVersion: row.chart_version,
  upgrade:
    row.newer_id === null
      ? null
      : {
          id: row.newer_id,
          chartVersion: row.newer_chart_version,
          versionLabel: row.newer_version_label,
          publishedAt: msOf(row.newer_created_at),
        },
  // The row has the time of the first of several waits; the queue knows the next.
  nextReconcileAt: msOrNull(row.run_after),
})

/** Also when it is deleted. */
export async function findDeployment(on: Runner, { id, userId }: DeploymentRef): Promise<ListedDeployment | undefined> {
  if (!isId(id)) return undefined
  const [row] = await on.query<ListedRow>(`${SELECT} where d.id = $1 and ($2::text is null or d.user_id::text = $2)`, [
    id,
    userId ?? null,
  ])
  return row && listedOf(row)
}

/** Serializes changes of what a deployment should be. */
export async function lockDeployment(tx: Tx, { id, userId }: DeploymentRef): Promise<Deployment | undefined> {
  if (!isId(id)) return undefined
  const [row] = await tx.query<DeploymentRow>(
    `select ${DEPLOYMENT_COLUMNS} from caelus.deployment d
     where d.id = $1 and ($2::text is null or d.user_id::text = $2) for no key update`,
    [id, userId ?? null],
  )
  return row && deploymentOf(row)
}

/** Newest first. */
export async function listDeployments(on: Runner, filter: DeploymentFilter): Promise<Listed<ListedDeployment>> {
  const { limit, after, userId, productId, clusterId, name, status, behind = false, withDeleted = false } = filter
  const rows = await on.query<ListedRow>(
    `${SELECT}
     where ($2::timestamptz is null or (d.created_at, d.id) < ($2, $3::uuid))
       and ($4::text is null or d.user_id::text = $4)
       and ($5::text is null or p.id::text = $5)
       and ($6::text is null or d.status = $6)
       and ($7 or d.status <> 'deleted')
       and ($8::text is null or d.deployment_uid = $8 or d.domainname = $8)
       and (not $9 or newer.id is not null)
       and ($10::text is null or d.cluster_id::text = $10)
     order by d.created_at desc, d.id desc limit $1`,
    [
      limit + 1,
      ...timeMark(after),
      userId ?? null,
      productId ?? null,
      status ?? null,
      withDeleted || status === 'deleted',
      name?.toLowerCase() ?? null,
      behind,
      clusterId ?? null,
    ],
  )
  return listed(rows.map(listedOf), limit, ({ createdAt, id }) => [markOf(createdAt), id])
}

export type NewDeployment = Pick<
  Deployment,
  'id' | 'deploymentUid' | 'userId' | 'clusterId' | 'domainname' | 'userValues' | 'sealedValues' | 'desiredTemplateId'
>

/** False: the uid is in use. Throws a violation of `DOMAIN_INDEX` when the domain is. */
export async function insertDeployment(tx: Tx, row: NewDeployment): Promise<boolean> {
  const rows = await tx.query(
    `insert into caelus.deployment
       (id, deployment_uid, namespace_name, release_name, user_id, domainname, user_values_json, sealed_values, desired_template_id,
        cluster_id)
     values ($1, $2, $2, $2, $3, $4, $5, $6, $7, $8)
     on conflict (deployment_uid) do nothing returning id`,
    [
      row.id,
      row.deploymentUid,
      row.userId,
      row.domainname,
      row.userValues,
      row.sealedValues,
      row.desiredTemplateId,
      row.clusterId,
    ],
  )
  return rows.length > 0
}

export const DOMAIN_INDEX = 'deployment_domain'
/** Violated by an order into a cluster that was deleted at this moment, or that the user may not use any more. */
export const HAS_CLUSTER = 'deployment_has_cluster'

/** Asks beyond what the caller may see, and learns nothing but yes or no. */
export async function isDomainTaken(on: Runner, domain: string, butBy: string | null): Promise<boolean> {
  const [row] = await on.query<{ taken: boolean }>('select caelus.domain_is_taken($1, $2) as taken', [domain, butBy])
  return row?.taken ?? false
}

/**
 * Whether owner and template are still there. To be asked after the order was written: from then on the reference keeps
 * both from being deleted, and until then it does not.
 */
export async function canBeOrdered(tx: Tx, userId: string, templateId: string): Promise<boolean> {
  const rows = await tx.query(
    `select from caelus.product_template_version t, caelus.user u
     where t.id = $2 and t.deleted_at is null and u.id = $1 and u.deleted_at is null`,
    [userId, templateId],
  )
  return rows.length > 0
}

export type Intent = Pick<Deployment, 'domainname' | 'userValues' | 'sealedValues' | 'desiredTemplateId'>

/**
 * A change of intent: the next generation, of which a revision is kept, with `keep - 1` before it. Throws a violation of
 * `DOMAIN_INDEX` when the domain is in use.
 */
export async function writeIntent(tx: Tx, id: string, intent: Intent, keep: number): Promise<void> {
  await tx.query(
    `with changed as (
       update caelus.deployment set domainname = $2, user_values_json = $3, sealed_values = $4, desired_template_id = $5,
         generation = generation + 1
       where id = $1 returning id, generation
     )
     delete from caelus.deployment_revision r using changed
     where r.deployment_id = changed.id and r.generation <= changed.generation - $6`,
    [id, intent.domainname, intent.userValues, intent.sealedValues, intent.desiredTemplateId, keep],
  )
}

export async function markDeleting(tx: Tx, id: string): Promise<void> {
  await tx.query(
    `update caelus.deployment set deleted_at = now(), status = 'deleting', generation = generation + 1 where id = $1`,
    [id],
  )
}

export async function markSuspended(tx: Tx, id: string, isSuspended: boolean): Promise<void> {
  await tx.query(
    `update caelus.deployment set suspended_at = case when $2 then coalesce(suspended_at, now()) end where id = $1`,
    [id, isSuspended],
  )
}

/** What failed is tried anew, however often it was tried before. What its status says is of the time before. */
export async function askForRetry(tx: Tx, id: string): Promise<void> {
  await tx.query('update caelus.deployment set retries = retries + 1, status_generation = 0 where id = $1', [id])
}

export async function markFailed(tx: Tx, id: string, failure: Failure): Promise<void> {
  await tx.query(
    `update caelus.deployment set status = 'error', status_generation = generation, last_error = $2, next_reconcile_at = null where id = $1`,
    [id, failure],
  )
}

/** Rows with a value that another key than `keyId` sealed, also in their history, locked, by id. */
export async function lockSealedWithOthers(
  tx: Tx,
  keyId: string,
  after: string | undefined,
  limit: number,
): Promise<Deployment[]> {
  const rows = await tx.query<DeploymentRow>(
    `select ${DEPLOYMENT_COLUMNS} from caelus.deployment d
     where ($2::uuid is null or d.id > $2)
       and exists (
         select from (
           select d.sealed_values
           union all select r.sealed_values from caelus.deployment_revision r where r.deployment_id = d.id
         ) kept, jsonb_each_text(kept.sealed_values) as one (pointer, envelope)
         where split_part(envelope, '.', 2) <> $1
       )
     order by d.id limit $3 for no key update`,
    [keyId, after ?? null, limit],
  )
  return rows.map(deploymentOf)
}

/** The same values under another key: not a change of intent. */
export async function writeSealed(
  tx: Tx,
  { id, sealedValues }: Pick<Deployment, 'id' | 'sealedValues'>,
): Promise<void> {
  await tx.query('update caelus.deployment set sealed_values = $2 where id = $1', [id, sealedValues])
}
