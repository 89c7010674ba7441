import { withDiagnostics } from './rollout.ts'
import { targetOf, type StepHandler } from './step.ts'

/** Goes back to a revision that was healthy. Safe to run twice: the next look decides whether it is still to be done. */
export const rollBack: StepHandler<'rollBack'> = async ({ revision, timeoutMs }, context) => {
  const target = targetOf(context)
  const to = { revision, timeoutMs, mask: context.sighting.mask }
  await withDiagnostics(context, () => context.parts.helm.rollBack(target, to, context.signal))
  return { reason: 'RolledBack', note: `rolled ${target.release} back to revision ${revision}` }
}
