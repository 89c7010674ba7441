import { msOf, msOrNull } from '../../../store/index.ts'
import type { Failure } from '../../../kernel/index.ts'
import type { Unrepairable } from '../observed.ts'
import type { RolloutState } from '../rollout.ts'
import type { JsonObject } from '../values/json.ts'
import type { Deployment, DeploymentStatus, SealedValues } from '../types.ts'

export interface DeploymentRow {
  readonly id: string
  readonly deployment_uid: string
  readonly namespace_name: string
  readonly release_name: string
  readonly user_id: string
  readonly cluster_id: string | null
  readonly domainname: string
  readonly user_values_json: JsonObject
  readonly sealed_values: SealedValues
  readonly desired_template_id: string
  readonly applied_template_id: string | null
  readonly status: DeploymentStatus
  readonly generation: string
  readonly observed_generation: string
  readonly status_generation: string
  readonly retries: string
  readonly rollout_json: RolloutState | null
  readonly unrepairable_json: readonly Unrepairable[]
  readonly suspended_at: Date | null
  readonly last_error: Failure | null
  readonly last_reconcile_at: Date | null
  readonly next_reconcile_at: Date | null
  readonly created_at: Date
  readonly deleted_at: Date | null
}

export const DEPLOYMENT_COLUMNS = `d.id, d.deployment_uid, d.namespace_name, d.release_name, d.user_id, d.cluster_id, d.domainname,
  d.user_values_json, d.sealed_values, d.desired_template_id, d.applied_template_id, d.status, d.generation,
  d.observed_generation, d.status_generation, d.retries, d.rollout_json, d.unrepairable_json, d.suspended_at, d.last_error, d.last_reconcile_at, d.next_reconcile_at, d.created_at, d.deleted_at`

export const deploymentOf = (row: DeploymentRow): Deployment => ({
  id: row.id,
  deploymentUid: row.deployment_uid,
  namespaceName: row.namespace_name,
  releaseName: row.release_name,
  userId: row.user_id,
  clusterId: row.cluster_id,
  domainname: row.domainname,
  userValues: row.user_values_json,
  sealedValues: row.sealed_values,
  desiredTemplateId: row.desired_template_id,
  appliedTemplateId: row.applied_template_id,
  status: row.status,
  generation: Number(row.generation),
  observedGeneration: Number(row.observed_generation),
  statusGeneration: Number(row.status_generation),
  retries: Number(row.retries),
  rollout: row.rollout_json,
  unrepairable: row.unrepairable_json,
  suspendedAt: msOrNull(row.suspended_at),
  lastError: row.last_error,
  lastReconcileAt: msOrNull(row.last_reconcile_at),
  nextReconcileAt: msOrNull(row.next_reconcile_at),
  createdAt: msOf(row.created_at),
  deletedAt: msOrNull(row.deleted_at),
})
