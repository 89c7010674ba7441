import { delayFor, type Backoff, type Failure } from '../../kernel/index.ts'
import { raise } from './failures.ts'
import type { LiveShoot, Observed } from './observed.ts'
import { mayPass } from './shoot/error-codes.ts'
import { isObserved, statusOf, type StatusTruth } from './status.ts'
import type { LoadedCluster } from './rows.ts'
import type { Operate, Step } from './steps.ts'
import { OPERATIONS_OF_DELETION, type Cluster, type Operation, type OperationKind, type SyncState } from './types.ts'

export interface DecideInput {
  readonly cluster: Pick<Cluster, 'operation' | 'deletedAt'> & Pick<LoadedCluster, 'appsLeft'>
  readonly sync: Pick<
    SyncState,
    'generation' | 'syncedGeneration' | 'status' | 'statusMessage' | 'statusChangedAt' | 'retries' | 'closedOperation'
  >
  readonly seen: Observed
}

export interface Decision {
  readonly step: Step
  readonly truth: StatusTruth
  /** What the row asks for is asked of Gardener. */
  readonly isSynced: boolean
  /** Tries that Caelus asked for since the last success. */
  readonly retries: number
  /** The id of the operation of a person that is over with this. */
  readonly closedOperation?: string
  /** Why Gardener is not asked for that operation any more. Absent: it was asked. */
  readonly dropped?: string
}

/** Another try of what Gardener gave up: the first after a minute, then more and more seldom. */
export const SHOOT_RETRY: Backoff = { baseMs: 60_000, capMs: 3_600_000 }
/** An operation that could not be asked for in this time is not asked for any more: by then it would surprise. */
export const OPERATION_LIFE_MS = 3_600_000
/** How far the clocks of the API and of Gardener may be apart. */
const CLOCKS_APART_MS = 300_000
/** Gardener makes the namespace of a project within seconds. */
const SLOW_NAMESPACE_MS = 60_000
const [FIRST_NAMESPACE_LOOK_MS, LAST_NAMESPACE_LOOK_MS] = [1_000, 30_000]
/** For apps whose cluster does not answer: after a while they are not waited for. */
const APPS_LOOK_MS = 30_000
/** For what the watch does not tell: it wakes the cluster once the Shoot is gone. */
const TERMINATING_LOOK_MS = 60_000
/** For what the watch does not tell: it wakes the cluster once Gardener has removed the annotation. */
const PENDING_LOOK_MS = 10_000

/** Whether an operation may still be asked of Gardener. Until it is over, another one would replace it. */
export const isOperationOpen = (
  operation: Operation | null,
  { closedOperation }: Pick<SyncState, 'closedOperation'>,
  now: number,
): operation is Operation =>
  operation !== null && operation.id !== closedOperation && now - operation.requestedAt < OPERATION_LIFE_MS

/** One step towards what the row asks for. Pure and total: it reads only its arguments. */
export function decide(input: DecideInput, now: number): Decision {
  return { ...decideStep(input, now), ...closedIn(input, now) }
}

/** The operation of the row, if it is over and the row does not say so yet. */
function closedIn(
  { cluster, sync, seen }: DecideInput,
  now: number,
): Pick<Decision, 'closedOperation' | 'dropped'> | undefined {
  const { operation, deletedAt } = cluster
  if (operation === null || operation.id === sync.closedOperation || sync.status === 'deleted') return undefined
  const { id: closedOperation, kind, requestedAt } = operation
  const live = seen.shoot.is === 'present' ? seen.shoot.live : undefined
  if (live?.operationId === closedOperation) return { closedOperation }
  const dropped = (why: string) => ({ closedOperation, dropped: `Gardener was not asked for ${kind}: ${why}` })
  if (now - requestedAt >= OPERATION_LIFE_MS) return dropped('that was not possible within an hour')
  if (live !== undefined && requestedAt < live.createdAt - CLOCKS_APART_MS)
    return dropped('its Shoot was made after that was requested')
  if (deletedAt !== null && !OPERATIONS_OF_DELETION.has(kind)) return dropped('the cluster is being deleted')
  return undefined
}

function decideStep(input: DecideInput, now: number): Decision {
  const { sync, seen } = input
  if (sync.status === 'deleted') return decided(input, { do: 'nothing' }, kept(input))
  if (input.cluster.deletedAt !== null) return decideDelete(input, now)
  if (seen.shoot.is === 'present' && seen.shoot.live.isDeleting) return awaitEnd(input, seen.shoot.live, now)
  if (seen.problem !== undefined) return refuse(input, seen.problem)
  return seen.shoot.is === 'absent' ? decideCreate(input, now) : decidePresent(input, seen.shoot, now)
}

/** Needs nothing of what the row asks for: it may be what cannot be met. */
function decideDelete(input: DecideInput, now: number): Decision {
  const { shoot } = input.seen
  if (shoot.is === 'absent')
    return decided(input, { do: 'forget' }, { status: 'deleting', message: 'nothing of it is left', failure: null })
  if (!shoot.live.isDeleting && (input.cluster.appsLeft ?? 0) > 0) return awaitApps(input)
  if (!shoot.live.isDeleting)
    return decided(input, { do: 'remove' }, { status: 'deleting', message: 'it is to be deleted', failure: null })
  return { ...decideOperation(input, shoot.live, statusOf(shoot.live), now), isSynced: true }
}

/** The last one that goes wakes the cluster. */
function awaitApps(input: DecideInput): Decision {
  const { appsLeft = 0 } = input.cluster
  const because = appsLeft === 1 ? 'an app in it is removed first' : `${appsLeft} apps in it are removed first`
  const step: Step = { do: 'waitFor', ms: APPS_LOOK_MS, because }
  return decided(input, step, { status: 'deleting', message: because, failure: null })
}

/** Somebody else deletes the Shoot of a living cluster. It is made anew once it is gone, so its deletion has to end. */
function awaitEnd(input: DecideInput, live: LiveShoot, now: number): Decision {
  const { failure } = raise.ShootTerminating(
    `Shoot ${live.namespace}/${live.name} of this cluster is being deleted, and not by Caelus`,
  )
  const { operation } = input.cluster
  const next = operation !== null && OPERATIONS_OF_DELETION.has(operation.kind) ? decideOperation : decideFailed
  const truth = statusOf(live)
  const decision = next(input, live, truth, now)
  if (decision.step.do === 'operate') return decision
  const ms = decision.step.do === 'waitFor' ? decision.step.ms : TERMINATING_LOOK_MS
  // Where the deletion has failed, the status has the failure that a person should act on.
  const step: Step = { do: 'waitFor', ms, because: failure.message, ...(truth.failure === null && { failure }) }
  return { ...decision, step }
}

function decideCreate(input: DecideInput, now: number): Decision {
  const { namespace } = input.seen
  const { statusChangedAt, status } = input.sync
  const truth = (message: string): StatusTruth => withoutShoot(input, message)
  switch (namespace.is) {
    case 'unknown':
      return decided(input, { do: 'ensureNamespace' }, truth('it waits for its project'))
    case 'pending': {
      const because = `Gardener makes the namespace of project ${namespace.project}`
      // The time of another status is no time of waiting for the namespace.
      const sinceMs = status === truth(because).status ? now - statusChangedAt : 0
      const ms = Math.min(LAST_NAMESPACE_LOOK_MS, Math.max(FIRST_NAMESPACE_LOOK_MS, Math.round(sinceMs / 4)))
      const isSlow = sinceMs >= SLOW_NAMESPACE_MS
      const failure = isSlow ? { failure: raise.NamespacePending(`${because}, and has not for a minute`).failure } : {}
      return decided(input, { do: 'waitFor', ms, because, ...failure }, truth(because))
    }
    case 'known':
      return decided(input, { do: 'apply', why: 'missing', fields: [] }, truth(NOT_CREATED))
    default:
      return namespace satisfies never
  }
}

/** Told where creating it has failed; once it is there, Gardener tells how far it is. */
const NOT_CREATED = 'its Shoot is not created yet'

const withoutShoot = ({ sync }: DecideInput, message: string): StatusTruth => ({
  status: sync.syncedGeneration === 0 ? 'pending' : 'progressing',
  message,
  failure: null,
})

function decidePresent(
  input: DecideInput,
  { live, drift: fields }: Extract<Observed['shoot'], { is: 'present' }>,
  now: number,
): Decision {
  const { generation, syncedGeneration } = input.sync
  const truth = statusOf(live)
  const isOutdated = generation !== syncedGeneration
  if (input.seen.isApplied && fields.length > 0) {
    const { failure } = raise.ShootRefused(`Gardener does not keep ${fields.join(', ')} as they were written`)
    return decided(input, { do: 'refuse', failure }, unlessReady(truth, 'the last change is not written'))
  }
  // Also where nothing differs: what the watch shows may be older than what another worker has written.
  if (isOutdated && !input.seen.isApplied)
    return decided(input, { do: 'apply', why: 'changed', fields }, unlessReady(truth, 'the last change is not written'))
  if (fields.length > 0)
    return decided(input, { do: 'apply', why: 'drift', fields }, unlessReady(truth, 'a change by hand is not undone'))
  return { ...decideOperation(input, live, truth, now), isSynced: true }
}

/** A change that is not written yet is not ready, whatever Gardener says about the one before. */
const unlessReady = (truth: StatusTruth, message: string): StatusTruth =>
  truth.status === 'ready' ? { status: 'progressing', message: `${message} yet`, failure: null } : truth

function decideOperation(input: DecideInput, live: LiveShoot, truth: StatusTruth, now: number): Decision {
  const { operation } = input.cluster
  if (!isOperationOpen(operation, input.sync, now) || closedIn(input, now) !== undefined)
    return decideFailed(input, live, truth, now)
  // It stays open: Gardener would leave the annotation unread, and a retry would replace it.
  if (live.operation?.state === 'Failed' && !isTry(operation.kind)) return decideFailed(input, live, truth, now)
  const step: Operate = { do: 'operate', operation: operationFor(operation.kind, live), by: 'person', id: operation.id }
  return operating(input, step, live, truth)
}

/**
 * One annotation asks for an operation: what Gardener has not taken up yet would be replaced. It removes what it takes up. Of what
 * it gave up it takes up nothing but a retry, so that waiting for another operation would never end.
 */
function operating(input: DecideInput, step: Operate, live: LiveShoot, truth: StatusTruth): Decision {
  const { operation, pendingOperation } = live
  const isGivenUp = operation?.state === 'Failed' && isObserved(live)
  if (pendingOperation === undefined || isGivenUp) return decided(input, step, truth)
  const because = `Gardener was asked for ${pendingOperation}, and has not taken it up yet`
  return decided(input, { do: 'waitFor', ms: PENDING_LOOK_MS, because }, truth)
}

/** Gardener takes `retry` for what has failed, and `reconcile` for everything else. */
const operationFor = (kind: OperationKind, { operation }: LiveShoot): string =>
  isTry(kind) ? (operation?.state === 'Failed' ? 'retry' : 'reconcile') : kind

const isTry = (kind: OperationKind): boolean => kind === 'retry' || kind === 'reconcile'

/** What Gardener gave up is tried again where that can help. */
function decideFailed(input: DecideInput, live: LiveShoot, truth: StatusTruth, now: number): Decision {
  const { operation } = live
  if (operation?.state !== 'Failed' || !isObserved(live) || !mayPass(live))
    return decided(input, { do: 'nothing' }, truth)
  const { retries, statusChangedAt } = input.sync
  const dueAt = (operation.updatedAt ?? statusChangedAt) + delayFor(retries + 1, SHOOT_RETRY)
  if (now >= dueAt) return operating(input, { do: 'operate', operation: 'retry', by: 'caelus' }, live, truth)
  return decided(input, { do: 'waitFor', ms: dueAt - now, because: 'Gardener gave up, and another try is due' }, truth)
}

function refuse(input: DecideInput, failure: Failure): Decision {
  const { shoot } = input.seen
  return decided(
    input,
    { do: 'refuse', failure },
    shoot.is === 'present' ? statusOf(shoot.live) : withoutShoot(input, NOT_CREATED),
  )
}

/** What the row says already. */
const kept = ({ sync }: DecideInput): StatusTruth => ({
  status: sync.status,
  message: sync.statusMessage ?? '',
  failure: null,
})

function decided({ sync, seen }: DecideInput, step: Step, truth: StatusTruth): Decision {
  const live = seen.shoot.is === 'present' ? seen.shoot.live : undefined
  const hasSucceeded = live?.operation?.state === 'Succeeded' && isObserved(live)
  return { step, truth, isSynced: false, retries: hasSucceeded ? 0 : sync.retries }
}
