import { targetOf, type StepHandler } from './step.ts'

/** What goes with the namespace anyway need not be waited for long. */
const TIMEOUT_MS = 300_000

/** Uninstalls the release, whatever state its record is in. Absent is done. */
export const uninstall: StepHandler<'uninstall'> = async ({ hooks }, context) => {
  const target = targetOf(context)
  const options = { hooks, timeoutMs: TIMEOUT_MS, mask: context.sighting.mask }
  const wasThere = await context.parts.helm.uninstall(target, options, context.signal)
  return { reason: 'Uninstalled', note: wasThere ? `uninstalled ${target.release}` : `there was no ${target.release}` }
}
