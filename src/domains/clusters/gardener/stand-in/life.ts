import { sameValue } from '../../../../kernel/index.ts'
import { GARDENER_OPERATION, type Shoot, type ShootState } from '../shoot.ts'
import { taskAt, type Flow } from './flows.ts'
import { areBegun, rotationAtEnd, rotationAtStart, rotationsIn, type Rotation } from './rotation.ts'
import { failedState, simulatedIn, type SimulatedCondition, type SimulatedFailure } from './simulated.ts'

/** How fast a Shoot lives. */
export interface Pace {
  /** Between two reports of progress. */
  readonly stepMs: number
  /** Reports of progress of one operation. */
  readonly steps: number
  /** Before gardenlet retries an operation that ended with `Error`. */
  readonly retryMs: number
}

/** What gardenlet does next with a Shoot, and how long it waits before. `undefined`: nothing until the Shoot changes. */
export type LifeStep =
  | { readonly do: 'addFinalizer'; readonly afterMs: number }
  | { readonly do: 'removeFinalizer'; readonly afterMs: number }
  /** Removes the annotation of rotations that the status says to have begun. */
  | { readonly do: 'removeOperation'; readonly afterMs: number }
  /** A merge patch of the status. Times are added, or stand there as `NOW`, so that the same step is always equal. */
  | { readonly do: 'report'; readonly afterMs: number; readonly status: StatusPatch }

export interface StatusPatch extends Omit<ShootState, 'lastErrors' | 'credentials'> {
  readonly lastErrors?: ShootState['lastErrors'] | null
  readonly credentials?: { readonly rotation: Rotation }
  readonly uid?: string
  readonly seedName?: string
  readonly gardener?: { readonly id: string; readonly name: string; readonly version: string }
}

/** Stands for the time at which a patch is written. */
export const NOW = 'now'

export const FINALIZER = 'gardener'

const CONDITIONS = [
  ['APIServerAvailable', 'HealthzRequestSucceeded', 'API server /healthz endpoint responded with success status code.'],
  ['ControlPlaneHealthy', 'ControlPlaneRunning', 'All control plane components are healthy.'],
  ['ObservabilityComponentsHealthy', 'ObservabilityComponentsRunning', 'All observability components are healthy.'],
  ['EveryNodeReady', 'EveryNodeReady', 'All nodes are ready.'],
  ['SystemComponentsHealthy', 'SystemComponentsRunning', 'All system components are healthy.'],
] as const

const STAND_IN = { id: 'gardenlet-stand-in', name: 'gardenlet-stand-in', version: 'v1.150.0' }

const START = {
  Create: 'Reconciliation of Shoot cluster initialized.',
  Reconcile: 'Reconciliation of Shoot cluster initialized.',
  Delete: 'Deletion of Shoot cluster in progress.',
}
const DONE = {
  Create: 'Shoot cluster has been successfully reconciled.',
  Reconcile: 'Shoot cluster has been successfully reconciled.',
  Delete: 'Shoot cluster has been successfully deleted.',
}

type OperationType = keyof typeof START

type LastOperation = NonNullable<ShootState['lastOperation']>

/** The next step in the life of a Shoot. All state is in the Shoot, so that a restarted gardenlet goes on with it. */
export function nextStep(shoot: Shoot, pace: Pace): LifeStep | undefined {
  const { metadata, status = {} } = shoot
  const isHeld = metadata.finalizers?.includes(FINALIZER) ?? false
  const isDeleted = metadata.deletionTimestamp !== undefined
  if (isDeleted && !isHeld) return undefined
  if (!isHeld) return { do: 'addFinalizer', afterMs: 0 }

  const { lastOperation } = status
  if (lastOperation === undefined)
    return isDeleted
      ? { do: 'removeFinalizer', afterMs: 0 }
      : report(0, 'Create', 'Pending', 0, 'Shoot cluster state is about to be reconciled.')
  if (isDeleted && lastOperation.type !== 'Delete') return begin(shoot, 'Delete', 0)
  const asked = rotationsOf(shoot)
  if (asked.length > 0 && areBegun(rotationOf(shoot), asked)) return { do: 'removeOperation', afterMs: 0 }
  return goOn(shoot, lastOperation, pace)
}

/** What changes during an operation waits for its end. */
function goOn(shoot: Shoot, last: LastOperation, pace: Pace): LifeStep | undefined {
  const type = typeAfter(last)
  const isAsked = shoot.status?.observedGeneration !== shoot.metadata.generation || rotationsOf(shoot).length > 0
  switch (last.state) {
    case 'Pending':
      return begin(shoot, type, pace.stepMs)
    case 'Processing':
      return proceed(shoot, type, last, pace)
    case 'Succeeded':
      if (type === 'Delete') return { do: 'removeFinalizer', afterMs: 0 }
      return isAsked || simulatedIn(shoot).fail !== undefined ? begin(shoot, type, 0) : judge(shoot)
    case 'Error':
      return begin(shoot, type, isAsked ? 0 : pace.retryMs)
    default:
      return isAsked ? begin(shoot, type, 0) : undefined
  }
}

/** A Shoot stays in creation until it was created once. */
function typeAfter({ type, state }: LastOperation): OperationType {
  if (type === 'Delete') return 'Delete'
  return type === 'Create' && state !== 'Succeeded' ? 'Create' : 'Reconcile'
}

const rotationsOf = ({ metadata }: Shoot): readonly string[] =>
  metadata.deletionTimestamp === undefined ? rotationsIn(metadata.annotations?.[GARDENER_OPERATION]) : []

const rotationOf = ({ status }: Shoot): Rotation => status?.credentials?.rotation ?? {}

const report = (
  afterMs: number,
  type: OperationType,
  state: string,
  progress: number,
  description: string,
  more: StatusPatch = {},
): LifeStep => ({ do: 'report', afterMs, status: { lastOperation: { type, state, progress, description }, ...more } })

function begin(shoot: Shoot, type: OperationType, afterMs: number): LifeStep {
  const { metadata, spec } = shoot
  const old = rotationOf(shoot)
  const rotation = rotationAtStart(old, rotationsOf(shoot), NOW)
  return report(afterMs, type, 'Processing', 0, START[type], {
    gardener: STAND_IN,
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
    ...(metadata.uid !== undefined && { uid: metadata.uid }),
    ...(spec.seedName !== undefined && { seedName: spec.seedName }),
    ...(rotation !== old && { credentials: { rotation } }),
  })
}

function proceed(shoot: Shoot, type: OperationType, last: LastOperation, pace: Pace): LifeStep {
  const { progress } = last
  const { fail } = simulatedIn(shoot)
  const next = Math.min(progress + Math.ceil(100 / pace.steps), 100)
  if (fail !== undefined && (progress >= (fail.at ?? 40) || next >= 100)) return failed(type, last, fail, pace)
  if (next >= 100) return succeeded(shoot, type, pace)
  return report(pace.stepMs, type, 'Processing', next, taskAt(flowOf(shoot, type), next))
}

const isHibernating = ({ spec }: Shoot): boolean => spec.hibernation?.enabled ?? false

const flowOf = (shoot: Shoot, type: OperationType): Flow =>
  type === 'Delete' ? 'delete' : isHibernating(shoot) ? 'hibernate' : 'reconcile'

function failed(type: OperationType, last: LastOperation, fail: SimulatedFailure, pace: Pace): LifeStep {
  const { description = `task "${last.description}" failed: simulated`, codes = [] } = fail
  const state = failedState(fail)
  const said = state === 'Error' ? `${description} Operation will be retried.` : description
  return report(pace.stepMs, type, state, last.progress, said, {
    lastErrors: [{ description, ...(codes.length > 0 && { codes }), taskID: last.description }],
  })
}

function succeeded(shoot: Shoot, type: OperationType, pace: Pace): LifeStep {
  const rotation = rotationAtEnd(rotationOf(shoot), NOW)
  return report(pace.stepMs, type, 'Succeeded', 100, DONE[type], {
    lastErrors: null,
    ...(type !== 'Delete' && {
      hibernated: isHibernating(shoot),
      conditions: conditionsOf(shoot),
      ...(Object.keys(rotation).length > 0 && { credentials: { rotation } }),
    }),
  })
}

/** The health of a Shoot at rest. */
function judge(shoot: Shoot): LifeStep | undefined {
  const conditions = conditionsOf(shoot)
  const isSame = sameValue(conditions, shoot.status?.conditions?.map(known))
  return isSame ? undefined : { do: 'report', afterMs: 0, status: { conditions } }
}

type Condition = NonNullable<ShootState['conditions']>[number]

/** The fields of a condition that do not tell a time. */
const known = ({ type, status, reason, message, codes }: Condition): Condition => ({
  type,
  status,
  ...(reason !== undefined && { reason }),
  ...(message !== undefined && { message }),
  ...(codes !== undefined && { codes }),
})

function conditionsOf(shoot: Shoot): Condition[] {
  const { degrade } = simulatedIn(shoot)
  return CONDITIONS.map(([type, reason, message]) =>
    degrade?.type === type
      ? degraded(degrade)
      : isHibernating(shoot)
        ? { type, status: 'True', reason: 'ConditionNotChecked', message: 'Shoot cluster has been hibernated.' }
        : { type, status: 'True', reason, message },
  )
}

const degraded = ({ type, status = 'False', reason, message, codes }: SimulatedCondition): Condition => ({
  type,
  status,
  reason: reason ?? `${type}Failed`,
  message: message ?? `${type} is simulated to be ${status}.`,
  ...(codes !== undefined && { codes }),
})
