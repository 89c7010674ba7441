import { asUser, type Actor } from '../../../store/index.ts'
import { raise } from '../failures.ts'
import { findDeployment, findOrderable, type DeploymentRef } from '../store/index.ts'
import type { UseCaseDeps } from './deps.ts'
import { templateRefused } from './intent.ts'

/**
 * Refuses a template whose custom resources the control plane does not have. Asked outside of any transaction, because the
 * answer may take a while; while there is none, and for a deployment `of` a cluster, the worker finds out.
 */
export async function refuseMissingKinds(
  { pool, trial }: UseCaseDeps,
  actor: Actor,
  templateId: string,
  of?: DeploymentRef,
): Promise<void> {
  const discovery = trial?.()?.discovery
  if (discovery === undefined) return
  const template = await asUser(pool, actor, async (tx) => {
    const isElsewhere = of !== undefined && ((await findDeployment(tx, of))?.clusterId ?? null) !== null
    return isElsewhere ? undefined : await findOrderable(tx, templateId)
  })
  const kinds = template?.inspection?.customKinds ?? []
  const answers = kinds.map(async ({ apiVersion, kind }) => {
    const resource = await discovery.resourceFor(apiVersion, kind)
    return resource === undefined ? [`${kind} of ${apiVersion}`] : []
  })
  const missing = (await Promise.all(answers).catch(() => [])).flat()
  if (missing.length === 0) return
  const named = missing.join(', ')
  throw templateRefused(`needs ${named}, which the control plane does not have`, raise.KindUnknown(`no ${named}`))
}
