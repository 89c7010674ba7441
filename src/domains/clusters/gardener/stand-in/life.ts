import { sameValue } from '../../../../kernel/index.ts'
import { GARDENER_OPERATION, type Shoot, type ShootState } from '../shoot.ts'
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
  /** Removes the annotation of an operation that was taken over into the status. */
  | { readonly do: 'removeOperation'; readonly afterMs: number }
  /** A merge patch of the status, without times. */
  | { readonly do: 'report'; readonly afterMs: number; readonly status: StatusPatch }

export type StatusPatch = Omit<ShootState, 'lastErrors'> & { readonly lastErrors?: ShootState['lastErrors'] | null }

export const FINALIZER = 'gardener'

const CONDITIONS = [
  ['APIServerAvailable', 'HealthzRequestSucceeded', 'API server /healthz endpoint responded with success status code.'],
  ['ControlPlaneHealthy', 'ControlPlaneRunning', 'All control plane components are healthy.'],
  ['ObservabilityComponentsHealthy', 'ObservabilityComponentsRunning', 'All observability components are healthy.'],
  ['EveryNodeReady', 'EveryNodeReady', 'All nodes are ready.'],
  ['SystemComponentsHealthy', 'SystemComponentsRunning', 'All system components are healthy.'],
] as const

/** Tasks of Gardener's flows, in their order. */
const BUILDING = [
  'Deploying Shoot namespace in Seed',
  'Deploying internal domain DNS record',
  'Deploying Shoot infrastructure',
  'Waiting until Shoot infrastructure has been reconciled',
  'Deploying main and events etcd',
  'Deploying Kubernetes API server',
  'Waiting until Kubernetes API server rolled out',
  'Deploying Kubernetes controller manager',
  'Configuring Shoot worker pools',
  'Waiting until Shoot worker nodes have been reconciled',
  'Deploying shoot network plugin',
]
const DELETING = [
  'Deploying Kubernetes API server',
  'Cleaning up webhooks',
  'Cleaning Kubernetes resources',
  'Destroying shoot network plugin',
  'Destroying shoot workers',
  'Waiting until shoot worker nodes have been terminated',
  'Destroying Shoot infrastructure',
  'Deleting Shoot namespace in Seed',
]

const START = {
  Create: 'Creation of Shoot cluster initialized.',
  Reconcile: 'Reconciliation of Shoot cluster initialized.',
  Delete: 'Deletion of Shoot cluster in progress.',
}
const DONE = {
  Create: 'Shoot cluster has been successfully created.',
  Reconcile: 'Shoot cluster has been successfully reconciled.',
  Delete: 'Shoot cluster has been successfully deleted.',
}

type OperationType = keyof typeof START

/** The parts whose rotation has phases. */
const ROTATED = ['certificateAuthorities', 'serviceAccountKey', 'etcdEncryptionKey']
const ROTATION_START: Readonly<Record<string, string>> = {
  'rotate-credentials-start': 'Preparing',
  'rotate-credentials-complete': 'Completing',
}
const ROTATION_END: Readonly<Record<string, string>> = { Preparing: 'Prepared', Completing: 'Completed' }

/** The next step in the life of a Shoot. All state is in the Shoot, so that a restarted gardenlet goes on with it. */
export function nextStep(shoot: Shoot, pace: Pace): LifeStep | undefined {
  const { metadata, status = {} } = shoot
  const isHeld = metadata.finalizers?.includes(FINALIZER) ?? false
  const isDeleted = metadata.deletionTimestamp !== undefined
  if (isDeleted && !isHeld) return undefined
  if (!isHeld) return { do: 'addFinalizer', afterMs: 0 }

  const { lastOperation } = status
  const type = typeOf(shoot)
  const requested = ROTATION_START[metadata.annotations?.[GARDENER_OPERATION] ?? '']
  if (requested !== undefined && phaseOf(shoot) === requested) return { do: 'removeOperation', afterMs: 0 }

  const isNew =
    lastOperation === undefined || lastOperation.type !== type || status.observedGeneration !== metadata.generation
  if (isNew || requested !== undefined) return begin(shoot, type, requested)

  switch (lastOperation.state) {
    case 'Pending':
      return report(pace.stepMs, type, 'Processing', 0, START[type])
    case 'Processing':
      return proceed(shoot, type, lastOperation.progress, pace)
    case 'Error':
      return report(pace.retryMs, type, 'Processing', lastOperation.progress, lastOperation.description)
    case 'Succeeded':
      return type === 'Delete' ? { do: 'removeFinalizer', afterMs: 0 } : judge(shoot)
    default:
      return undefined
  }
}

/** A Shoot stays in creation until it was created once. */
function typeOf({ metadata, status }: Shoot): OperationType {
  if (metadata.deletionTimestamp !== undefined) return 'Delete'
  const last = status?.lastOperation
  if (last === undefined) return 'Create'
  const isOver = last.state === 'Succeeded' && status?.observedGeneration !== metadata.generation
  return last.type === 'Create' && !isOver ? 'Create' : 'Reconcile'
}

const phaseOf = ({ status }: Shoot): string | undefined => status?.credentials?.rotation?.[ROTATED[0] ?? '']?.phase

const rotationTo = (phase: string): Pick<ShootState, 'credentials'> => ({
  credentials: { rotation: Object.fromEntries(ROTATED.map((part) => [part, { phase }])) },
})

const report = (
  afterMs: number,
  type: OperationType,
  state: string,
  progress: number,
  description: string,
  more: StatusPatch = {},
): LifeStep => ({ do: 'report', afterMs, status: { lastOperation: { type, state, progress, description }, ...more } })

function begin({ metadata, status }: Shoot, type: OperationType, phase: string | undefined): LifeStep {
  const observed = metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }
  const state = status?.lastOperation === undefined ? 'Pending' : 'Processing'
  const project = (metadata.namespace ?? '').replace(/^garden-/, '')
  return report(0, type, state, 0, START[type], {
    ...observed,
    technicalID: status?.technicalID || `shoot--${project}--${metadata.name}`,
    lastErrors: null,
    ...(phase !== undefined && rotationTo(phase)),
  })
}

function proceed(shoot: Shoot, type: OperationType, progress: number, pace: Pace): LifeStep {
  const { fail } = simulatedIn(shoot)
  if (fail !== undefined && progress >= (fail.at ?? 40)) return failed(type, progress, fail, pace)
  const next = Math.min(progress + Math.ceil(100 / pace.steps), 100)
  if (next >= 100) return succeeded(shoot, type, pace)
  const tasks = type === 'Delete' ? DELETING : BUILDING
  const task = tasks[Math.floor((next * tasks.length) / 100)] ?? ''
  return report(pace.stepMs, type, 'Processing', next, task, { lastErrors: null })
}

function failed(type: OperationType, progress: number, fail: SimulatedFailure, pace: Pace): LifeStep {
  const { description, codes = [] } = fail
  const state = failedState(fail)
  const said = state === 'Error' ? `${description} Operation will be retried.` : description
  return report(pace.stepMs, type, state, progress, said, {
    lastErrors: [{ description, ...(codes.length > 0 && { codes }), taskID: 'simulated' }],
  })
}

function succeeded(shoot: Shoot, type: OperationType, pace: Pace): LifeStep {
  const done = ROTATION_END[phaseOf(shoot) ?? '']
  return report(pace.stepMs, type, 'Succeeded', 100, DONE[type], {
    lastErrors: null,
    ...(type !== 'Delete' && {
      hibernated: shoot.spec.hibernation?.enabled ?? false,
      conditions: conditionsOf(shoot),
      ...(done !== undefined && rotationTo(done)),
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
  const isHibernated = shoot.spec.hibernation?.enabled === true
  return CONDITIONS.map(([type, reason, message]) =>
    degrade?.type === type
      ? degraded(degrade)
      : isHibernated
        ? { type, status: 'True', reason: 'ConditionNotChecked', message: 'Shoot cluster has been hibernated.' }
        : { type, status: 'True', reason, message },
  )
}

const degraded = ({ type, status = 'False', reason = 'Simulated', message, codes }: SimulatedCondition): Condition => ({
  type,
  status,
  reason,
  message,
  ...(codes !== undefined && { codes }),
})
