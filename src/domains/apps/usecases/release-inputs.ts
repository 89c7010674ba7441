import { failureOf } from '../../../kernel/index.ts'
import { asUser, found, type Actor } from '../../../store/index.ts'
import { findDeployment, findTemplate, sealedRevisions, type DeploymentRef } from '../store/index.ts'
import type { SealedValues } from '../types.ts'
import type { Json } from '../values/json.ts'
import type { UseCaseDeps } from './deps.ts'
import { openSecrets } from './intent.ts'
import type { ReleaseInputs } from './port.ts'

export function releaseInputs({ pool, ring }: UseCaseDeps, actor: Actor, ref: DeploymentRef): Promise<ReleaseInputs> {
  return asUser(pool, actor, async (tx) => {
    const deployment = found(await findDeployment(tx, ref), 'deployment', ref.id)
    const { id, desiredTemplateId, appliedTemplateId } = deployment
    const ids = new Set([desiredTemplateId, appliedTemplateId ?? desiredTemplateId])
    const templates = []
    for (const templateId of ids) templates.push(found(await findTemplate(tx, templateId), 'template', templateId))
    const kept = [deployment.sealedValues, ...(await sealedRevisions(tx, id)).map(({ sealedValues }) => sealedValues)]
    return {
      reader: { admin: actor.admin },
      deployment,
      templates,
      sealed: [...new Set(kept.flatMap((sealedValues) => Object.keys(sealedValues)))],
      secrets: kept.flatMap((sealedValues) => opened(ring, id, sealedValues)),
    }
  })
}

/** What no key opens is found in the release by its place. */
function opened(ring: UseCaseDeps['ring'], id: string, sealedValues: SealedValues): Json[] {
  try {
    return Object.values(openSecrets(ring, { id, sealedValues }))
  } catch (error) {
    if (failureOf(error).code === 'ValuesUnreadable') return []
    throw error
  }
}
