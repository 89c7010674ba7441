import { timestamp } from '../../src/kernel/index.ts'
import { progressFrom } from './flows.ts'
import type { Shoot } from './resources.ts'
import { rotationAtEnd, rotationAtStart, rotationsIn } from './rotation.ts'
import { checkedConditions, checkedConstraints, conditionsInProgress, initialConditions } from './shoot-conditions.ts'
import type { LastOperation, OperationType, StatusPatch } from './shoot-status.ts'
import { stateOf, type SimulatedFailure, type Simulation } from './simulation.ts'

/** How long a Shoot stays in each state. */
export interface Pace {
  /** Until a new Shoot is begun with. */
  readonly pendingMs: number
  /** For each task of an operation. */
  readonly taskMs: number
  /** How many tasks of an operation are reported: each costs gardener-apiserver some 10 ms of CPU time. @default all */
  readonly tasks?: number
  /** From the success of an operation to the next check of the conditions. */
  readonly checkMs: number
  /** Until an operation with an error is tried again. */
  readonly retryMs: number
}

export const FINALIZER = 'gardener'
export const OPERATION = 'gardener.cloud/operation'
const VERSION = 'v1.150.0'

/** The one thing to do next for a Shoot, and how long to wait after it. Without `afterMs`: until the Shoot changes. */
export type Step =
  | { readonly do: 'rest' }
  /** Chooses the seed, as the scheduler does. */
  | { readonly do: 'schedule'; readonly afterMs: 0 }
  | { readonly do: 'addFinalizer'; readonly afterMs: 0 }
  | Report
  /** Removes the finalizer, and with it the Shoot. */
  | { readonly do: 'release' }

export interface Report {
  readonly do: 'report'
  readonly status: StatusPatch
  readonly afterMs?: number
  /** The address and the certificates of its API server are published first. */
  readonly publishes?: boolean
  /** The annotation of operations without those that were begun. Null: none is left. */
  readonly operations?: string | null
  /** Whether it reports the simulated failure. */
  readonly fails?: boolean
}

export interface Circumstances {
  readonly now: number
  readonly pace: Pace
  readonly project: string
  readonly simulation: Simulation
}

const isBehind = ({ metadata, status }: Shoot): boolean => metadata.generation !== status?.observedGeneration

/** Whether something is asked for that does not wait for the end of a pause. */
export function isUrgent(shoot: Shoot): boolean {
  const { lastOperation } = shoot.status ?? {}
  if (lastOperation === undefined) return true
  if (shoot.metadata.deletionTimestamp !== undefined && lastOperation.type !== 'Delete') return true
  return isAtRest(lastOperation) && isBehind(shoot)
}

const isAtRest = ({ state }: LastOperation): boolean => state !== 'Pending' && state !== 'Processing'

/** Pure: the life of a Shoot as gardenlet leads it. All that it depends on is kept in the Shoot itself. */
export function nextStep(shoot: Shoot, circumstances: Circumstances): Step {
  const { metadata, spec, status = {} } = shoot
  const { lastOperation: last } = status
  const hasFinalizer = metadata.finalizers?.includes(FINALIZER) ?? false
  if (metadata.deletionTimestamp !== undefined) {
    if (!hasFinalizer) return { do: 'rest' }
    // Without a uid no operation has ever begun.
    const isDeleted = last?.type === 'Delete' && last.state === 'Succeeded'
    if (status.uid === undefined || status.uid === '' || isDeleted) return { do: 'release' }
    if (last?.type !== 'Delete') return begin(shoot, 'Delete', circumstances)
    return carryOn(shoot, last, circumstances)
  }
  if (last === undefined) return pending(circumstances)
  if (last.state !== 'Pending') return carryOn(shoot, last, circumstances)
  if (spec.seedName === undefined) return { do: 'schedule', afterMs: 0 }
  return hasFinalizer ? begin(shoot, 'Create', circumstances) : { do: 'addFinalizer', afterMs: 0 }
}

function carryOn(shoot: Shoot, last: LastOperation, circumstances: Circumstances): Step {
  const { failure } = circumstances.simulation
  const next: OperationType = last.type === 'Create' && last.state === 'Succeeded' ? 'Reconcile' : last.type
  switch (last.state) {
    case 'Pending':
    case 'Processing':
      // Not in the first task, so that everybody sees that it was tried.
      return failure !== undefined && last.progress > 0
        ? failed(last, failure, circumstances)
        : proceed(shoot, last, circumstances)
    case 'Succeeded':
      if (isBehind(shoot)) return begin(shoot, next, circumstances)
      return failure === undefined
        ? check(shoot, circumstances)
        : failed({ ...last, type: next }, failure, circumstances)
    case 'Error':
      return begin(shoot, next, circumstances)
    case 'Failed':
      return isBehind(shoot) ? begin(shoot, next, circumstances) : { do: 'rest' }
    default:
      return last.state satisfies never
  }
}

/** With conditions, because gardener-controller-manager writes into a Shoot without them at each of its changes. */
const pending = ({ now, pace }: Circumstances): Step => ({
  do: 'report',
  afterMs: pace.pendingMs,
  status: {
    conditions: initialConditions(timestamp(now)),
    lastOperation: {
      type: 'Create',
      state: 'Pending',
      progress: 0,
      description: 'Shoot cluster state is about to be reconciled.',
      lastUpdateTime: timestamp(now),
    },
  },
})

function begin(shoot: Shoot, type: OperationType, { now, pace, project }: Circumstances): Step {
  const { metadata, spec, status = {} } = shoot
  const time = timestamp(now)
  const annotation = metadata.annotations?.[OPERATION]
  const rotations = type === 'Delete' ? [] : rotationsIn(annotation)
  const left = (annotation ?? '').split(';').filter((one) => !rotations.includes(one))
  const old = status.credentials?.rotation ?? {}
  const rotation = rotationAtStart(old, rotations, time)
  const isDelete = type === 'Delete'
  return {
    do: 'report',
    afterMs: pace.taskMs,
    status: {
      technicalID: status.technicalID || `shoot--${project}--${metadata.name}`,
      gardener: { id: 'gardenlet-stand-in', name: 'gardenlet-stand-in', version: VERSION },
      ...(metadata.uid !== undefined && { uid: metadata.uid }),
      ...(!isDelete && spec.seedName !== undefined && { seedName: spec.seedName }),
      ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
      retryCycleStartTime: isBehind(shoot) ? time : (status.retryCycleStartTime ?? time),
      ...(rotation !== old && { credentials: { rotation } }),
      lastOperation: {
        type,
        state: 'Processing',
        progress: 0,
        description: isDelete
          ? 'Deletion of Shoot cluster in progress.'
          : 'Reconciliation of Shoot cluster initialized.',
        lastUpdateTime: time,
      },
    },
    ...(rotations.length > 0 && { operations: left.length === 0 ? null : left.join(';') }),
  }
}

const isHibernating = ({ spec }: Shoot): boolean => spec.hibernation?.enabled ?? false

function proceed(shoot: Shoot, last: LastOperation, circumstances: Circumstances): Step {
  const { now, pace } = circumstances
  const { task, isReachable } = progressFrom(last.progress, last.type, {
    isHibernated: isHibernating(shoot),
    ...(pace.tasks !== undefined && { reported: pace.tasks }),
  })
  const step: Report =
    task === undefined
      ? succeed(shoot, last.type, circumstances)
      : {
          do: 'report',
          afterMs: pace.taskMs,
          status: { lastOperation: { ...last, ...task, lastUpdateTime: timestamp(now) } },
        }
  return isReachable ? { ...step, publishes: true } : step
}

function succeed(shoot: Shoot, type: OperationType, { now, pace }: Circumstances): Report {
  const { status = {} } = shoot
  const time = timestamp(now)
  const done = type === 'Delete' ? 'deleted' : 'reconciled'
  const lastOperation: LastOperation = {
    type,
    state: 'Succeeded',
    progress: 100,
    description: `Shoot cluster has been successfully ${done}.`,
    lastUpdateTime: time,
  }
  const ended = { lastOperation, lastErrors: null, retryCycleStartTime: null }
  if (type === 'Delete') return { do: 'report', status: ended, afterMs: 0 }
  const rotation = status.credentials?.rotation
  return {
    do: 'report',
    afterMs: pace.checkMs,
    status: {
      ...ended,
      hibernated: isHibernating(shoot),
      conditions: conditionsInProgress(status.conditions ?? [], time),
      ...(rotation && { credentials: { rotation: rotationAtEnd(rotation, time) } }),
    },
  }
}

function failed(last: LastOperation, failure: SimulatedFailure, { now, pace }: Circumstances): Step {
  const time = timestamp(now)
  const state = stateOf(failure)
  const { codes, description = `task "${last.description}" failed: simulated` } = failure
  const isRetried = state === 'Error'
  return {
    do: 'report',
    fails: true,
    ...(isRetried && { afterMs: pace.retryMs }),
    status: {
      lastOperation: {
        ...last,
        state,
        description: isRetried ? `${description} Operation will be retried.` : description,
        lastUpdateTime: time,
      },
      lastErrors: [{ description, taskID: last.description, lastUpdateTime: time, ...(codes && { codes }) }],
      ...(!isRetried && { retryCycleStartTime: null }),
    },
  }
}

/** The conditions, as gardenlet checks them between operations. */
function check({ status = {} }: Shoot, { now, simulation }: Circumstances): Step {
  const time = timestamp(now)
  const { degraded } = simulation
  const conditions = checkedConditions(status.conditions, {
    isHibernated: status.hibernated ?? false,
    degraded,
    now: time,
  })
  const constraints = checkedConstraints(status.constraints, time)
  if (conditions === undefined && constraints === undefined) return { do: 'rest' }
  return { do: 'report', status: { ...(conditions && { conditions }), ...(constraints && { constraints }) } }
}
