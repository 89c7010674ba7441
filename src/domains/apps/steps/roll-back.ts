import { withDiagnostics } from './rollout.ts'
import { targetOf, type StepHandler } from './step.ts'
import { removeStrays } from './strays.ts'

/**
 * Goes back to a revision that was healthy. Safe to run twice: the next look decides whether it is still to be done.
 *
 * Helm would remove what the failed revision has brought, too, if nothing cut it off: the next rollback compares with the
 * one that was cut off.
 */
export const rollBack: StepHandler<'rollBack'> = async ({ revision, timeoutMs, remove }, context) => {
  const target = targetOf(context)
  await removeStrays(context, remove)
  const to = { revision, timeoutMs, mask: context.sighting.mask }
  await withDiagnostics(context, () => context.parts.helm.rollBack(target, to, context.signal))
  return { reason: 'RolledBack', note: `rolled ${target.release} back to revision ${revision}` }
}
