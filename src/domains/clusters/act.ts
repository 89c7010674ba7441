import type { FencedWrite, Gardener } from './gardener/gardener.ts'
import { GARDENER_OPERATION, OPERATION_ID, type Shoot } from './gardener/shoot.ts'
import { liveOf } from './live.ts'
import { askFor, ifOf, type Memory, type Observation } from './observe.ts'
import type { LoadedCluster } from './rows.ts'
import { projectFor, type GardenerSettings } from './shoot/wanted.ts'
import { isObserved } from './status.ts'
import type { Effect, Operate } from './steps.ts'

export interface ActDeps {
  readonly gardener: Gardener
  readonly settings: GardenerSettings
}

export interface Acting {
  readonly loaded: LoadedCluster
  readonly observation: Observation
  /** What is found out is noted here. */
  readonly memory: Memory
  readonly write: FencedWrite
}

/** Whether Gardener was changed, or for `forget`, whether nothing is left. */
export async function act(deps: ActDeps, step: Effect, acting: Acting): Promise<boolean> {
  const { gardener, settings } = deps
  const { loaded, observation, memory, write } = acting
  const { cluster } = loaded
  switch (step.do) {
    case 'ensureNamespace': {
      const project = projectFor(cluster.organizationId, settings)
      const name = await gardener.ensureProject({ name: project, organizationId: cluster.organizationId }, write)
      memory.namespace = name === undefined ? { is: 'pending', project } : { is: 'known', name }
      return false
    }
    case 'apply': {
      if (observation.draft === undefined) return false
      memory.shoot = await gardener.apply(observation.draft, write)
      memory.isApplied = true
      return true
    }
    case 'operate':
      return operate(deps, step, acting)
    case 'remove': {
      const { shoot } = observation
      if (shoot === undefined) return false
      const isRemoved = await gardener.remove(shoot, write)
      const { namespace = '', name } = shoot.metadata
      memory.shoot = ifOf(loaded, await gardener.find({ namespace, name }, write.signal)) ?? null
      return isRemoved
    }
    case 'forget': {
      memory.shoot = (await askFor(deps, loaded, write.signal)) ?? null
      return memory.shoot === null
    }
    default:
      return step satisfies never
  }
}

/** The server is asked before: the watch may not know yet that it was asked for, by another worker or by one that died. */
async function operate(
  { gardener }: ActDeps,
  step: Operate,
  { loaded, observation, memory, write }: Acting,
): Promise<boolean> {
  if (observation.shoot === undefined) return false
  const { namespace = '', name } = observation.shoot.metadata
  const at = { namespace, name }
  const shoot = ifOf(loaded, await gardener.find(at, write.signal))
  memory.shoot = shoot ?? null
  if (shoot === undefined || !isStillDue(step, liveOf(shoot)) || !isAsObserved(shoot, observation.shoot)) return false
  const annotations = {
    [GARDENER_OPERATION]: step.operation,
    ...(step.id !== undefined && { [OPERATION_ID]: step.id }),
  }
  const isAsked = await gardener.annotate(shoot, annotations, write)
  memory.shoot = ifOf(loaded, await gardener.find(at, write.signal)) ?? null
  return isAsked
}

/** What the operation was chosen by. Gardener gives up, goes on or is asked for another operation at any time. */
function isAsObserved(shoot: Shoot, observed: Shoot): boolean {
  const [is, was] = [liveOf(shoot), liveOf(observed)]
  const hasFailed = is.operation?.state === 'Failed'
  return (
    is.uid === was.uid &&
    is.pendingOperation === was.pendingOperation &&
    hasFailed === (was.operation?.state === 'Failed')
  )
}

const isStillDue = ({ by, id }: Operate, live: ReturnType<typeof liveOf>): boolean =>
  by === 'person' ? live.operationId !== id : live.operation?.state === 'Failed' && isObserved(live)
