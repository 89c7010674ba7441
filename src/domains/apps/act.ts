import { claimNamespace } from './fence.ts'
import { deleteNamespace } from './steps/delete-namespace.ts'
import { ensureNamespace } from './steps/ensure-namespace.ts'
import { install } from './steps/install.ts'
import { repairObjects, settleOwnership } from './steps/restore-objects.ts'
import { holderOf, type Done, type Effect, type StepContext, type StepHandler } from './steps/step.ts'
import { uninstall } from './steps/uninstall.ts'
import { unlockRelease } from './steps/unlock-release.ts'
import { upgrade } from './steps/upgrade.ts'
import { holding, targetsOf } from './target-locks.ts'

type Handlers = { readonly [N in Effect['do']]: StepHandler<N> }

const HANDLERS: Handlers = {
  ensureNamespace,
  unlockRelease,
  install,
  upgrade,
  settleOwnership,
  repairObjects,
  uninstall,
  deleteNamespace,
}

/** Takes one step, holding its targets where it has any, in a namespace that is ours under the fence. */
export async function act(step: Effect, context: StepContext): Promise<Done> {
  const { parts, loaded, sighting, signal } = context
  const { id, namespaceName } = loaded.deployment
  // What is still to be made is nobody else's target, and whoever makes it at the same time is told apart by the fence.
  if (step.do === 'ensureNamespace') return run(step, context)
  // The deployment itself holds them: who takes over from a dead worker goes on at once, and the fence keeps the dead out.
  const locking = { locks: parts.locks, clock: parts.clock, holder: `apps/${id}`, signal }
  // The lease is ours whether or not we get the targets, so that nothing has to wait for them to enter the namespace.
  const entered = context.hasEntered ? Promise.resolve() : claimNamespace(parts, holderOf(context), signal)
  entered.catch(() => {})
  try {
    return await holding(locking, targetsOf(namespaceName, sighting.record?.objects ?? []), async (held) => {
      await entered
      return await run(step, { ...context, signal: held })
    })
  } finally {
    await entered.catch(() => {})
  }
}

/** The table and the union agree on the name, which the compiler cannot see through an index. */
const run = <N extends Effect['do']>(step: Extract<Effect, { do: N }>, context: StepContext): Promise<Done> =>
  (HANDLERS[step.do] as StepHandler<N>)(step, context)
