import type {
  ChartSource,
  Finding,
  Grant,
  Inspection,
  Layout,
  LiveResource,
  Product,
  Template,
  TemplateForm,
} from '../../../domains/apps/index.ts'
import type { ChartReport, ListedDeployment, ListedJob, RevisionEntry } from '../../../domains/apps/usecases/index.ts'
import { readKeyring, shownTemplate } from '../../../domains/apps/index.ts'
import type { Actor } from '../../../store/index.ts'
import type { Failure } from '../../../kernel/index.ts'
import type {
  ChartSourceView,
  ChartView,
  DeploymentView,
  FailureView,
  GrantOfferView,
  GrantView,
  InspectionView,
  LayoutView,
  ProductView,
  ReconcileJobView,
  ResourceView,
  RevisionView,
  TemplateFormView,
  TemplateView,
} from '../../contract/index.ts'
import { failureView, maybeTimeView, timeView } from '../parts.ts'

/* From the types of the domain to those of the contract. */

const maybeFailure = (failure: Failure | null): FailureView | null => (failure === null ? null : failureView(failure))

export const productView = ({
  id,
  name,
  description,
  icon,
  templateId,
  generation,
  createdAt,
}: Product): ProductView => ({
  id,
  name,
  description,
  icon,
  template_id: templateId,
  generation,
  created_at: timeView(createdAt),
})

const layoutView = (layout: Layout): LayoutView => ({
  domain_paths: [...layout.domainPaths],
  ingress_class_paths: [...layout.ingressClassPaths],
  caelus_values: layout.caelusValues,
  plan: layout.plan,
  user_values: layout.userValues,
})

const offerView = (offer: NonNullable<Finding['grant']>): GrantOfferView =>
  offer.grantable
    ? {
        grantable: true,
        because: null,
        kind: offer.kind,
        name: offer.name,
        objects: [...offer.objects],
        risks: [...offer.risks],
      }
    : { grantable: false, because: offer.because, kind: null, name: null, objects: [], risks: [] }

const grantView = ({ objects, grantedAt, revokedAt, ...grant }: Grant): GrantView => ({
  ...grant,
  objects: [...objects],
  granted_at: timeView(grantedAt),
  revoked_at: maybeTimeView(revokedAt),
})

const inspectionView = ({ findings, objects, domainAt, recordBytes }: Inspection): InspectionView => ({
  findings: findings.map(({ switchedOffBy, grant, ...finding }) => ({
    ...finding,
    switched_off_by: [...switchedOffBy],
    grant: grant === undefined ? null : offerView(grant),
  })),
  objects: [...objects],
  domain_at: [...domainAt],
  record_bytes: recordBytes,
})

export const templateView = (template: Template, reader: Pick<Actor, 'admin'>): TemplateView => ({
  id: template.id,
  product_id: template.productId,
  package_type: template.packageType,
  chart_ref: template.chartRef,
  chart_version: template.chartVersion,
  chart_digest: template.chartDigest,
  version_label: template.versionLabel,
  ...valuesView(template, reader),
  overrides: shownTemplate(template, reader).overrides,
  layout: layoutView(template.layout),
  capabilities: template.capabilities,
  drift_ignore: template.driftIgnore.map(({ paths, ...rule }) => ({ ...rule, paths: [...paths] })),
  health_timeout_sec: template.healthTimeoutSec,
  inspection: reader.admin && template.inspection !== null ? inspectionView(template.inspection) : null,
  grants: reader.admin ? (template.grants ?? []).map(grantView) : [],
  signed_by: template.signedBy,
  created_at: timeView(template.createdAt),
})

function valuesView(
  described: Pick<Template, 'valuesSchema' | 'defaultValues'>,
  reader: Pick<Actor, 'admin'>,
): Pick<TemplateView, 'default_values' | 'values_schema'> {
  const { defaultValues, valuesSchema } = shownTemplate(described, reader)
  return { default_values: defaultValues, values_schema: valuesSchema }
}

export const formView = ({ enabled, schema, uiHints, defaults, hidden }: TemplateForm): TemplateFormView => ({
  enabled,
  schema,
  ui_hints: uiHints.map(({ writeOnly, ...hint }) => ({ ...hint, ...(writeOnly && { write_only: writeOnly }) })),
  defaults,
  hidden: [...hidden],
})

export const chartView = ({ chart, template, form, problems }: ChartReport): ChartView => ({
  name: chart.name,
  version: chart.version,
  app_version: chart.appVersion,
  description: chart.description,
  digest: chart.digest,
  signed_by: chart.signedBy ?? null,
  // Only admins look into charts.
  ...valuesView(template, { admin: true }),
  form: formView(form),
  problems: [...problems],
  layout: layoutView(template.layout),
  inspection: template.inspection && inspectionView(template.inspection),
})

export function chartSourceView({ updatedAt, ...source }: ChartSource): ChartSourceView {
  const read = source.keyring === null ? { keys: [] } : readKeyring(source.keyring)
  return { ...source, keys: 'keys' in read ? [...read.keys] : [], updated_at: timeView(updatedAt) }
}

export const deploymentView = (deployment: ListedDeployment): DeploymentView => ({
  id: deployment.id,
  deployment_uid: deployment.deploymentUid,
  namespace_name: deployment.namespaceName,
  release_name: deployment.releaseName,
  user_id: deployment.userId,
  user_email: deployment.email,
  cluster_id: deployment.clusterId,
  cluster_name: deployment.clusterName,
  product: deployment.product,
  domainname: deployment.domainname,
  user_values: deployment.userValues,
  secrets_set: Object.keys(deployment.sealedValues).toSorted(),
  desired_template_id: deployment.desiredTemplateId,
  applied_template_id: deployment.appliedTemplateId,
  chart_version: deployment.chartVersion,
  upgrade_available: deployment.upgrade && {
    template_id: deployment.upgrade.id,
    chart_version: deployment.upgrade.chartVersion,
    version_label: deployment.upgrade.versionLabel,
    published_at: timeView(deployment.upgrade.publishedAt),
  },
  status: deployment.status,
  status_since: timeView(deployment.statusSince),
  generation: deployment.generation,
  observed_generation: deployment.observedGeneration,
  status_generation: deployment.statusGeneration,
  suspended_at: maybeTimeView(deployment.suspendedAt),
  healthy_by: maybeTimeView(rolloutNow(deployment)?.deadlineAt ?? null),
  failed_tries: rolloutNow(deployment)?.failures ?? 0,
  unrepairable: deployment.unrepairable.map(({ object, path = null, because }) => ({ object, field: path, because })),
  last_error: maybeFailure(deployment.lastError),
  last_reconcile_at: maybeTimeView(deployment.lastReconcileAt),
  next_reconcile_at: maybeTimeView(deployment.nextReconcileAt),
  created_at: timeView(deployment.createdAt),
  deleted_at: maybeTimeView(deployment.deletedAt),
})

/** Of what is wanted now: until a worker has begun with a change, the row holds the rollout of the change before. */
const rolloutNow = ({ rollout, retries, statusGeneration, generation }: ListedDeployment) =>
  rollout?.retries === retries && statusGeneration === generation ? rollout : undefined
export const revisionView = (revision: RevisionEntry): RevisionView => ({
  generation: revision.generation,
  created_at: timeView(revision.createdAt),
  changed_by: revision.changedBy,
  template: {
    id: revision.template.id,
    chart_version: revision.template.chartVersion,
    version_label: revision.template.versionLabel,
    deleted: revision.template.isDeleted,
  },
  domainname: revision.domainname,
  changed: revision.changed && [...revision.changed],
  rolled_back_to: revision.rolledBackTo,
  outcome: revision.outcome,
  failure_code: revision.failureCode,
  helm_revision: revision.helmRevision,
})

export const jobView = (job: ListedJob): ReconcileJobView => ({
  id: job.id,
  deployment_id: job.deploymentId,
  deployment_uid: job.deploymentUid,
  user_id: job.userId,
  user_email: job.email,
  reason: job.reason,
  status: job.status,
  run_after: timeView(job.runAfter),
  attempt: job.attempt,
  locked_by: job.lockedBy,
  locked_at: maybeTimeView(job.lockedAt),
  lease_until: maybeTimeView(job.leaseUntil),
  last_error: maybeFailure(job.lastError),
  frozen: job.frozen,
  created_at: timeView(job.createdAt),
  updated_at: timeView(job.updatedAt),
})

export const resourceView = ({ since, events, ...resource }: LiveResource): ResourceView => ({
  ...resource,
  since: maybeTimeView(since),
  events: events.map((event) => ({ ...event, at: timeView(event.at) })),
})
