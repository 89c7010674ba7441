import { claimsAmong } from '../observe.ts'
import { rolloutOf, withDiagnostics } from './rollout.ts'
import { targetOf, type StepContext, type StepHandler } from './step.ts'

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
  try {
    const { revision } = await withDiagnostics(context, () => helm.install(target, rollout, context.signal))
    return { reason: 'Installed', note: `installed ${target.release} as revision ${revision}` }
  } catch (error) {
    // The failure matters more than what it leaves behind.
    if (policy.onFailure === 'keep') await removeWithoutClaims(context, timeoutMs).catch(() => {})
    throw error
  }
}

/** Whether there are claims was not known before: to render for that alone would be a third of an install's work. */
async function removeWithoutClaims(context: StepContext, timeoutMs: number): Promise<void> {
  const { parts, signal } = context
  const target = targetOf(context)
  signal.throwIfAborted()
  const record = await parts.releases.newest(target, signal)
  if (record?.status !== 'failed' || claimsAmong(record.objects).length > 0) return
  await parts.helm.uninstall(target, { hooks: true, timeoutMs }, signal)
}
