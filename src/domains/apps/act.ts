import { holding } from '../../kernel/index.ts'
import { assertFence, claimNamespace } from './fence.ts'
import { ensureRights } from './grants/rights.ts'
import { grantedTo } from './rows.ts'
import { deleteNamespace } from './steps/delete-namespace.ts'
import { ensureNamespace } from './steps/ensure-namespace.ts'
import { install } from './steps/install.ts'
import { repairObjects } from './steps/repair-objects.ts'
import { rollBack } from './steps/roll-back.ts'
import { holderOf, type Done, type Effect, type StepContext, type StepHandler } from './steps/step.ts'
import { uninstall } from './steps/uninstall.ts'
import { unlockRelease } from './steps/unlock-release.ts'
import { upgrade } from './steps/upgrade.ts'
import { targetsOf } from './target-locks.ts'

type Handlers = { readonly [N in Effect['do']]: StepHandler<N> }

const HANDLERS: Handlers = {
  ensureNamespace,
  unlockRelease,
  install,
  upgrade,
  rollBack,
  repairObjects,
  uninstall,
  deleteNamespace,
}

/** Runs one step in a namespace that is claimed under the fence, holding the locks of its targets where it has any. */
export async function act(step: Effect, context: StepContext): Promise<Done> {
  const { parts, loaded, sighting, signal } = context
  const { id, namespaceName } = loaded.deployment
  // No other domain has a target in a namespace that does not exist yet, and the fence decides between two workers.
  if (step.do === 'ensureNamespace') return run(step, context)
  // The holder is the deployment, so the successor of a dead worker takes its locks over at once. That voids the old locks,
  // and the fence of the claim keeps the predecessor from taking them back.
  const { fence: claimFence } = holderOf(context)
  const locking = { locks: parts.locks, clock: parts.clock, holder: `apps/${id}`, claimFence, signal }
  // Claiming the namespace needs no lock, so it runs at the same time.
  const enter = context.hasEntered ? assertFence : claimNamespace
  const entered = enter(parts, holderOf(context), signal)
  entered.catch(() => {})
  try {
    return await holding(
      locking,
      targetsOf(namespaceName, sighting.record?.objects ?? []),
      async (held, { assertHeld }) => {
        await entered
        const cluster = await clusterRights(context, held)
        // Writes of a Helm process are refused by the fence alone.
        const client = parts.client.guardedBy(assertHeld)
        return await run(step, { ...context, cluster, signal: held, parts: { ...parts, client } })
      },
    )
  } finally {
    await entered.catch(() => {})
  }
}

/** Most releases have nothing outside of their namespace and never had: of those nobody asks. */
async function clusterRights(context: StepContext, signal: AbortSignal): ReturnType<typeof ensureRights> {
  const { parts, loaded, sighting } = context
  const granted = grantedTo(loaded)
  const had = (sighting.record?.objects ?? []).some(({ metadata }) => metadata.namespace === undefined)
  if (granted.length === 0 && !had) return []
  // What is to go needs no right but to delete what it has.
  return ensureRights(parts, holderOf(context), loaded.deployment.deletedAt === null ? granted : [], signal)
}

/** The handler and the step have the same name, which the compiler cannot infer from the index. */
const run = <N extends Effect['do']>(step: Extract<Effect, { do: N }>, context: StepContext): Promise<Done> =>
  (HANDLERS[step.do] as StepHandler<N>)(step, context)
