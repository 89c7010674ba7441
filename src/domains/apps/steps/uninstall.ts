import { targetOf, type StepHandler } from './step.ts'

/** What goes with the namespace anyway need not be waited for long. */
const TIMEOUT_MS = 300_000

/** Uninstalls the release, whatever state its record is in. Absent is done. */
export const uninstall: StepHandler<'uninstall'> = async ({ hooks }, context) => {
  const target = targetOf(context)
  const wasThere = await context.parts.helm.uninstall(target, { hooks, timeoutMs: TIMEOUT_MS }, context.signal)
  return { reason: 'Uninstalled', note: wasThere ? `uninstalled ${target.release}` : `there was no ${target.release}` }
}
