import { RefusedFields } from '../../../kernel/index.ts'
import {
  asUser,
  checkGeneration,
  found,
  note,
  type Actor,
  type AuditEntry,
  type Precondition,
  type Tx,
} from '../../../store/index.ts'
import { deploymentKey, WAKE_REASON } from '../queue.ts'
import {
  canBeOrdered,
  findDeployment,
  lockDeployment,
  writeIntent,
  type DeploymentRef,
  type ListedDeployment,
} from '../store/index.ts'
import { domainTaken } from './create-deployment.ts'
import { intendUpdate, intentOf, type Intended } from './intent.ts'
import { refuseMissingKinds } from './missing-kinds.ts'
import type { Deployment } from '../types.ts'
import type { DeploymentChange } from './port.ts'
import type { UseCaseDeps } from './deps.ts'

export async function updateDeployment(
  deps: UseCaseDeps,
  actor: Actor,
  ref: DeploymentRef,
  change: DeploymentChange,
  precondition: Precondition = {},
): Promise<ListedDeployment> {
  if (change.templateId !== undefined) await refuseMissingKinds(deps, actor, change.templateId, ref)
  return await asUser(deps.pool, actor, async (tx) => {
    const before = found(await lockDeployment(tx, ref), 'deployment', ref.id)
    checkGeneration(before.generation, precondition)
    const { intent, template, changed } = await intendUpdate(deps, tx, actor, before, change)
    if (changed.length > 0) await saveIntent(deps, tx, actor, before, { intent, template, changed })
    return found(await findDeployment(tx, ref), 'deployment', ref.id)
  })
}

/** The next generation, word of it and the wake. */
export async function saveIntent(
  deps: UseCaseDeps,
  tx: Tx,
  actor: Actor,
  before: Deployment,
  { intent, template, changed }: Intended & { readonly changed: readonly string[] },
  detail: AuditEntry['detail'] = {},
): Promise<void> {
  const { keepRevisions = KEPT_REVISIONS } = deps
  await writeIntent(tx, before.id, intent, keepRevisions).catch(domainTaken(intent.domainname))
  if (changed.includes('template') && !(await canBeOrdered(tx, before.userId, template.id))) {
    throw new RefusedFields([{ field: 'template_id', message: 'was deleted at this moment' }])
  }
  await deps.queue.wakeIn(tx, {
    key: deploymentKey(before.id),
    wake: { reason: WAKE_REASON.update, tenant: before.userId },
  })
  await note(tx, actor, {
    action: 'changed',
    object: deploymentKey(before.id),
    tenant: before.userId,
    before: intentOf(before),
    after: intent,
    detail: {
      generation: before.generation + 1,
      changed: changed.join(', '),
      chartVersion: template.chartVersion,
      ...detail,
    },
  })
}

const KEPT_REVISIONS = 20
