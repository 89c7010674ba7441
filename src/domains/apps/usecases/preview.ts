import { randomUUID } from 'node:crypto'
import { asUser, type Actor, type Tx } from '../../../store/index.ts'
import { deploymentUid } from '../identity.ts'
import type { Json } from '../values/json.ts'
import { joinSecrets, secretsOfRelease } from '../values/secrets.ts'
import { findDeployment, findProduct, findTemplate, isDomainTaken, type DeploymentRef } from '../store/index.ts'
import type { Deployment, Template } from '../types.ts'
import { shownValues } from '../values/shown.ts'
import { releaseValues, systemValues } from '../values/values.ts'
import { takenDomain } from './create-deployment.ts'
import { found } from '../../../store/index.ts'
import { intendCreate, intendRollback, intendUpdate, openSecrets, type Intended } from './intent.ts'
import type { DeploymentChange, DeploymentInput, PreviewInputs, Rendering, Rollback } from './port.ts'
import type { UseCaseDeps } from './deps.ts'

export function previewCreate(deps: UseCaseDeps, actor: Actor, input: DeploymentInput): Promise<PreviewInputs> {
  return asUser(deps.pool, actor, async (tx) => {
    const id = randomUUID()
    const { owner, clusterId, template, intent } = await intendCreate(deps, tx, id, input)
    await refuseTaken(tx, intent.domainname, null)
    const product = found(await findProduct(tx, template.productId), 'product', template.productId)
    const name = deploymentUid({ productName: product.name, email: owner.email }, deps.random)
    const deployment: Deployment = {
      ...intent,
      id,
      deploymentUid: name,
      namespaceName: name,
      releaseName: name,
      userId: owner.id,
      appliedTemplateId: null,
      status: 'pending',
      generation: 1,
      observedGeneration: 0,
      statusGeneration: 0,
      retries: 0,
      rollout: null,
      unrepairable: [],
      clusterId,
      suspendedAt: null,
      lastError: null,
      lastReconcileAt: null,
      nextReconcileAt: null,
      createdAt: deps.clock.now(),
      deletedAt: null,
    }
    const after = rendered(deps, actor, deployment, template)
    return { after: after.rendering, secrets: after.secrets }
  })
}

export function previewUpdate(
  deps: UseCaseDeps,
  actor: Actor,
  ref: DeploymentRef,
  change: DeploymentChange,
): Promise<PreviewInputs> {
  return changed(deps, actor, ref, (tx, row) => intendUpdate(deps, tx, actor, row, change))
}

export function previewRollback(
  deps: UseCaseDeps,
  actor: Actor,
  ref: DeploymentRef,
  to: Rollback,
): Promise<PreviewInputs> {
  return changed(deps, actor, ref, (tx, row) => intendRollback(deps, tx, actor, row, to))
}

function changed(
  deps: UseCaseDeps,
  actor: Actor,
  ref: DeploymentRef,
  intend: (tx: Tx, row: Deployment) => Promise<Intended>,
): Promise<PreviewInputs> {
  return asUser(deps.pool, actor, async (tx) => {
    const row = found(await findDeployment(tx, ref), 'deployment', ref.id)
    const { intent, template } = await intend(tx, row)
    await refuseTaken(tx, intent.domainname, row.id)
    const present = found(await findTemplate(tx, row.desiredTemplateId), 'template', row.desiredTemplateId)
    const before = rendered(deps, actor, row, present)
    const after = rendered(deps, actor, { ...row, ...intent, generation: row.generation + 1 }, template)
    return {
      before: before.rendering,
      after: after.rendering,
      secrets: [...before.secrets, ...after.secrets],
    }
  })
}

async function refuseTaken(tx: Tx, domain: string, butBy: string | null): Promise<void> {
  if (await isDomainTaken(tx, domain, butBy)) throw takenDomain(domain)
}

function rendered(
  { ring, ingressClass }: UseCaseDeps,
  actor: Actor,
  deployment: Deployment,
  template: Template,
): { readonly rendering: Rendering; readonly secrets: readonly Json[] } {
  const secrets = openSecrets(ring, deployment)
  const { given, effective } = releaseValues(template, {
    userValues: joinSecrets({ open: deployment.userValues, secrets }),
    system: systemValues(deployment, ingressClass, template.layout),
  })
  return {
    rendering: { deployment, template, values: effective, given, shown: shownValues(template, effective, actor) },
    secrets: [...secretsOfRelease(template.valuesSchema, effective, secrets)],
  }
}
