import { withDiagnostics } from './rollout.ts'
import { targetOf, type StepContext, type StepHandler } from './step.ts'
import { removeStrays } from './strays.ts'

/** Goes back to a revision that was healthy. Safe to run twice: the next look decides whether it is still to be done. */
export const rollBack: StepHandler<'rollBack'> = async ({ revision, timeoutMs }, context) => {
  const target = targetOf(context)
  await removeFailed(context)
  const to = { revision, timeoutMs, mask: context.sighting.mask }
  await withDiagnostics(context, () => context.parts.helm.rollBack(target, to, context.signal))
  return { reason: 'RolledBack', note: `rolled ${target.release} back to revision ${revision}` }
}

/** Helm would do it, too, if nothing cut it off: the next rollback compares with the one that was cut off. */
async function removeFailed(context: StepContext): Promise<void> {
  const { parts, loaded, sighting, signal } = context
  const digest = loaded.deployment.rollout?.healthyDigest ?? undefined
  if (sighting.record === undefined || digest === undefined) return
  const before = { revision: sighting.record.revision, digest }
  const healthy = await parts.releases.deployedBefore(targetOf(context), before, signal)
  if (healthy !== undefined) await removeStrays(context, [healthy.objects])
}
