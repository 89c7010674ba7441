import { rolloutOf, withDiagnostics } from './rollout.ts'
import { targetOf, type StepHandler } from './step.ts'

/**
 * Installs a release that the storage does not know. Returns once Helm has applied everything and its hooks are done.
 *
 * Does not judge health: the next look does. Safe to run twice: a record that it left is found then.
 */
export const install: StepHandler<'install'> = async ({ timeoutMs }, context) => {
  const target = targetOf(context)
  const rollout = await rolloutOf(context, timeoutMs, [])
  const run = () => context.parts.helm.install(target, rollout, context.signal)
  const { revision, objects } = await withDiagnostics(context, run)
  return { reason: 'Installed', note: `installed ${target.release} as revision ${revision}`, applied: objects }
}
