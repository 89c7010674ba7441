import { rolloutOf, withDiagnostics } from './rollout.ts'
import { targetOf, type StepHandler } from './step.ts'

/**
 * Installs a release that the storage does not know, and waits until it is healthy or its time is up.
 *
 * A failed install is removed again unless it holds claims. Why the pods failed is asked before that.
 * Does not judge readiness: the next look does, with fresh eyes. Safe to run twice: a record that it left is found then.
 */
export const install: StepHandler<'install'> = async ({ timeoutMs, policy }, context) => {
  const { helm } = context.parts
  const target = targetOf(context)
  const rollout = await rolloutOf(context, timeoutMs, policy.onFailure, [])
  const { revision } = await withDiagnostics(context, () => helm.install(target, rollout, context.signal))
  return { reason: 'Installed', note: `installed ${target.release} as revision ${revision}` }
}
