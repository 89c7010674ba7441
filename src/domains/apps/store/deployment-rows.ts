import { isId, type Pool, type Runner } from '../../../store/index.ts'
import type { DeploymentRows, FoundDeployment } from '../rows.ts'
import { DEPLOYMENT_COLUMNS, deploymentOf, type DeploymentRow } from './deployment-columns.ts'
import { heldAfter } from './held.ts'
import { findGrants, findTemplate } from './templates.ts'

/**
 * What is to be deleted is never said to be anything better again by a run that began before. The row is locked before the
 * job: changes of people lock in this order too, and would deadlock with the other.
 */
const WRITE = `
  with locked as materialized (select id from caelus.deployment where id = ($1::text)::uuid for no key update),
  ${heldAfter('locked')}
  update caelus.deployment d set
    status = case
      when d.deleted_at is not null and new ->> 'status' not in ('deleting', 'deleted', 'error') then d.status
      else coalesce(new ->> 'status', d.status) end,
    applied_template_id = case
      when new ? 'appliedTemplateId' then (new ->> 'appliedTemplateId')::uuid else d.applied_template_id end,
    helm_revision = coalesce((new ->> 'helmRevision')::bigint, d.helm_revision),
    observed_generation = coalesce((new ->> 'observedGeneration')::bigint, d.observed_generation),
    status_generation = coalesce((new ->> 'statusGeneration')::bigint, d.status_generation),
    rollout_json = case when new ? 'rollout' then nullif(new -> 'rollout', 'null') else d.rollout_json end,
    unrepairable_json = coalesce(new -> 'unrepairable', d.unrepairable_json),
    last_error = case when new ? 'lastError' then nullif(new -> 'lastError', 'null') else d.last_error end,
    last_reconcile_at = case
      when new ? 'lastReconcileAt' then to_timestamp((new ->> 'lastReconcileAt')::float8 / 1000)
      else d.last_reconcile_at end,
    next_reconcile_at = case
      when new ? 'nextReconcileAt' then to_timestamp((new ->> 'nextReconcileAt')::float8 / 1000)
      else d.next_reconcile_at end
  from held, (select $3::jsonb as new) patch
  where d.id = held.id
  returning d.id`

const FIND_IN = `
  select id, user_id as "userId", namespace_name as "namespaceName", status = 'deleted' as "isDeleted"
  from caelus.deployment where id = any ($2::uuid[]) and cluster_id is not distinct from $1::uuid`

interface LoadedRow extends DeploymentRow {
  readonly email: string
}

/** Rows for the worker; `pool` acts as `caelus_worker`. */
export const deploymentRows = (pool: Pool): DeploymentRows => ({
  load: (id) => load(pool, id),
  async write(id, fence, patch) {
    const rows = await pool.query(WRITE, [id, fence, patch])
    return rows.length > 0
  },
  living: (after, limit) => livingDeployments(pool, after, limit),
  async findIn(clusterId, ids) {
    const valid = ids.filter(isId)
    return valid.length === 0 ? [] : await pool.query<FoundDeployment>(FIND_IN, [clusterId, valid])
  },
})

async function load(on: Runner, id: string): ReturnType<DeploymentRows['load']> {
  if (!isId(id)) return undefined
  const [row] = await on.query<LoadedRow>(
    `select ${DEPLOYMENT_COLUMNS}, u.email
     from caelus.deployment d join caelus.user u on u.id = d.user_id where d.id = $1`,
    [id],
  )
  // But for their grants templates never change, so that reading it apart reads the same.
  const template = row && (await findTemplate(on, row.desired_template_id))
  if (row === undefined || template === undefined) return undefined
  const { applied_template_id: applied } = row
  const appliedGrants = applied === null || applied === template.id ? [] : await findGrants(on, applied)
  return { deployment: deploymentOf(row), owner: { id: row.user_id, email: row.email }, template, appliedGrants }
}

/** Those of which something may be left, by id. */
export async function livingDeployments(
  on: Runner,
  after: string | undefined,
  limit: number,
): ReturnType<DeploymentRows['living']> {
  return await on.query<{ id: string; userId: string; namespaceName: string }>(
    `select id, user_id as "userId", namespace_name as "namespaceName" from caelus.deployment
     where status <> 'deleted' and ($1::uuid is null or id > $1) order by id limit $2`,
    [after ?? null, limit],
  )
}
