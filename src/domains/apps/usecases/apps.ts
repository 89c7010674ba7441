import type { Actor } from '../../../store/index.ts'
import { deleteChartSource, listChartSources, setChartSource } from './chart-sources.ts'
import { createDeployment } from './create-deployment.ts'
import { deleteDeployment } from './delete-deployment.ts'
import { getDeployment, getJob, getTemplate, listDeployments, listJobs, listTemplates } from './read.ts'
import {
  enqueueReconcile,
  failJob,
  freezeTenant,
  requeueJob,
  resumeDeployment,
  retryDeployment,
  scanDrift,
  suspendDeployment,
  unfreezeTenant,
} from './operate.ts'
import { installTemplateDefinitions } from './definitions.ts'
import { grantTemplate, revokeTemplateGrant } from './grants.ts'
import type { Apps } from './port.ts'
import { previewCreate, previewRollback, previewUpdate } from './preview.ts'
import { releaseInputs } from './release-inputs.ts'
import {
  createProduct,
  deleteProduct,
  getProduct,
  listProducts,
  setCanonicalTemplate,
  updateProduct,
} from './products.ts'
import { deleteTemplate, inspectChart, publishTemplate } from './templates.ts'
import type { UseCaseDeps } from './deps.ts'
import { listRevisions, rollbackDeployment } from './revisions.ts'
import { rotateValuesKey } from './rotate-values-key.ts'
import { createDomain, deleteDomain, getDeploymentLimit, listDomains, setDeploymentLimit } from './tenants.ts'
import { timeline } from './timeline.ts'
import { updateDeployment } from './update-deployment.ts'

const CASES = {
  listChartSources,
  setChartSource,
  deleteChartSource,
  createProduct,
  deleteProduct,
  getProduct,
  listProducts,
  setCanonicalTemplate,
  updateProduct,
  getDeployment,
  getJob,
  getTemplate,
  listDeployments,
  listJobs,
  listTemplates,
  inspectChart,
  publishTemplate,
  grantTemplate,
  revokeTemplateGrant,
  installTemplateDefinitions,
  deleteTemplate,
  createDeployment,
  updateDeployment,
  deleteDeployment,
  retryDeployment,
  suspendDeployment,
  resumeDeployment,
  previewCreate,
  previewUpdate,
  releaseInputs,
  listRevisions,
  rollbackDeployment,
  previewRollback,
  timeline,
  enqueueReconcile,
  failJob,
  freezeTenant,
  requeueJob,
  scanDrift,
  unfreezeTenant,
  getDeploymentLimit,
  setDeploymentLimit,
  listDomains,
  createDomain,
  deleteDomain,
  rotateValuesKey,
} satisfies {
  readonly [Verb in keyof Apps]: (deps: UseCaseDeps, ...rest: Parameters<Apps[Verb]>) => ReturnType<Apps[Verb]>
}

type Case = (deps: UseCaseDeps, actor: Actor, ...rest: never[]) => unknown

/** The use cases, with everything they need at hand. */
export const openApps = (deps: UseCaseDeps): Apps =>
  Object.fromEntries(
    Object.entries(CASES).map(([name, run]) => [
      name,
      (actor: Actor, ...rest: never[]) => (run as Case)(deps, actor, ...rest),
    ]),
  ) as unknown as Apps
