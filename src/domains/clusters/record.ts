import { sameValue, type Failure } from '../../kernel/index.ts'
import type { Decision } from './decide.ts'
import type { LiveShoot } from './observed.ts'
import type { ClusterEvent, SyncPatch } from './rows.ts'
import type { StatusTruth } from './status.ts'
import type { Effect, Step } from './steps.ts'
import type { ClusterEventType, ShootStatus, ShootSummary, SyncState } from './types.ts'

/** An effect that succeeded in this run and is not written yet. */
export type Done = Extract<Effect, { do: 'apply' | 'operate' | 'remove' }>

export type Happened =
  /** Before the step is taken, with what was done since the last write. */
  | {
      readonly is: 'decided'
      readonly decision: Decision
      readonly live: LiveShoot | undefined
      readonly done: Done | undefined
      /** Runs that failed before this one. */
      readonly attempt: number
    }
  /** The server confirmed that nothing is left. */
  | { readonly is: 'gone' }
  | Failed

interface Failed {
  readonly is: 'failed'
  readonly failure: Failure
  /** Failed runs in a row, with this one. Absent: it costs no attempt. */
  readonly attempts?: number
  /** What was found out before it failed. */
  readonly truth?: StatusTruth
}

/** What is written in one transaction. */
export interface Recorded {
  readonly patch: SyncPatch
  readonly events: readonly ClusterEvent[]
}

/**
 * What to write, or `undefined` when the row already says so.
 *
 * `row` is the row as it was loaded before the effect, so `syncedGeneration` never runs ahead of what was written to Gardener.
 */
export function record(row: SyncState, happened: Happened, now: number): Recorded | undefined {
  const { truth, events } = truthOf(row, happened, now)
  const changes = Object.entries(truth).filter(([field, value]) => !sameValue(row[field as keyof SyncState], value))
  if (changes.length === 0 && events.length === 0) return undefined
  return { patch: Object.fromEntries(changes), events }
}

function truthOf(row: SyncState, happened: Happened, now: number): { truth: SyncPatch; events: ClusterEvent[] } {
  switch (happened.is) {
    case 'decided':
      return afterDecision(row, happened, now)
    case 'gone': {
      const status = statusTruth(row, { status: 'deleted', message: 'its Shoot is gone', failure: null }, now)
      return {
        truth: { ...status.truth, ...ALL_WELL, ...synced(row, now, true), shoot: null, retries: 0 },
        events: status.events,
      }
    }
    case 'failed':
      return afterFailure(row, happened, now)
    default:
      return happened satisfies never
  }
}

const ALL_WELL = { failure: null, attempts: 0 } as const satisfies SyncPatch

function afterDecision(
  row: SyncState,
  { decision, live, done, attempt }: Extract<Happened, { is: 'decided' }>,
  now: number,
): { truth: SyncPatch; events: ClusterEvent[] } {
  const { step, isSynced, retries } = decision
  const own: SyncPatch = {
    retries: retries + (done?.do === 'operate' && done.by === 'caelus' ? 1 : 0),
    ...(isSynced && synced(row, now, done !== undefined)),
    ...(decision.closedOperation !== undefined && { closedOperation: decision.closedOperation }),
  }
  // Before the Shoot is written the status is left as it is, until it is known what became of that.
  const isTold = done !== undefined || isSynced || !isEffect(step)
  const status = isTold ? statusTruth(row, decision.truth, now) : { truth: {}, events: [] }
  return {
    truth: {
      ...own,
      ...status.truth,
      ...(isTold && { shoot: live === undefined ? null : summaryIn(live) }),
      ...(isClaim(step) && { lastAttemptAt: now }),
      ...(!isEffect(step) && step.do !== 'refuse' && { ...ALL_WELL, failure: concernOf(step) }),
    },
    events: [...doneEvents(done), ...droppedEvents(decision), ...status.events, ...claimEvents(step, attempt)],
  }
}

const droppedEvents = ({ dropped }: Decision): ClusterEvent[] =>
  dropped === undefined ? [] : [{ type: 'sync_failed', message: dropped }]

const isEffect = (step: Step): step is Effect => isClaim(step) || step.do === 'ensureNamespace' || step.do === 'forget'

/** Why to worry although it only waits. */
const concernOf = (step: Step): Failure | null => (step.do === 'waitFor' && step.failure) || null

const claimEvents = (step: Step, attempt: number): ClusterEvent[] =>
  isClaim(step) ? [{ type: 'sync_claimed', message: claimText(step), attempt: attempt + 1 }] : []

/** The time moves with what was done, not with every look. */
const synced = (row: SyncState, now: number, isNew: boolean): SyncPatch => ({
  syncedGeneration: row.generation,
  syncedAt: isNew || row.syncedGeneration !== row.generation ? now : row.syncedAt,
})

export const isClaim = (step: Step): step is Done =>
  step.do === 'apply' || step.do === 'operate' || step.do === 'remove'

function statusTruth(
  row: SyncState,
  { status, message, failure }: StatusTruth,
  now: number,
): { truth: SyncPatch; events: ClusterEvent[] } {
  const hasMoved = row.status !== status
  const isNews = hasMoved || row.statusFailure?.code !== failure?.code
  const type = STATUS_EVENT[status]
  return {
    truth: {
      status,
      statusMessage: message,
      statusFailure: failure,
      ...(hasMoved && { statusChangedAt: now }),
    },
    events: isNews && type !== undefined ? [{ type, message }] : [],
  }
}

const STATUS_EVENT: Readonly<Record<ShootStatus, ClusterEventType | undefined>> = {
  pending: undefined,
  progressing: 'status_progressing',
  ready: 'status_ready',
  error: 'status_error',
  deleting: 'status_deleting',
  deleted: 'status_deleted',
}

function afterFailure(
  row: SyncState,
  { failure, attempts, truth }: Failed,
  now: number,
): { truth: SyncPatch; events: ClusterEvent[] } {
  const status = truth === undefined ? { truth: {}, events: [] } : statusTruth(row, truth, now)
  if (attempts === undefined) {
    // Messages about an unreachable server differ from look to look.
    if (row.failure?.code === failure.code) return status
    return {
      truth: { ...status.truth, failure },
      events: [...status.events, { type: 'sync_failed', message: failure.message }],
    }
  }
  return {
    truth: { ...status.truth, failure, attempts, lastAttemptAt: now },
    events: [...status.events, { type: 'sync_failed', message: failure.message, attempt: attempts }],
  }
}

function doneEvents(done: Done | undefined): ClusterEvent[] {
  return done === undefined ? [] : [{ type: 'sync_succeeded', message: doneText(done) }]
}

function claimText(step: Done): string {
  switch (step.do) {
    case 'apply':
      if (step.why === 'missing') return 'its Shoot is being created'
      return step.why === 'changed'
        ? 'the change is being written to its Shoot'
        : `a change by hand is being undone: ${step.fields.join(', ')}`
    case 'operate':
      return step.by === 'person'
        ? `Gardener is being asked for ${step.operation}`
        : 'Gardener gave up, and is being asked for another try'
    case 'remove':
      return 'its Shoot is being deleted'
    default:
      return step satisfies never
  }
}

function doneText(done: Done): string {
  switch (done.do) {
    case 'apply':
      if (done.why === 'missing') return 'its Shoot was created'
      return done.why === 'changed' ? 'the change was written to its Shoot' : 'a change by hand was undone'
    case 'operate':
      return `Gardener was asked for ${done.operation}`
    case 'remove':
      return 'the deletion of its Shoot was asked for'
    default:
      return done satisfies never
  }
}

/** What of a Shoot is kept in the row. */
function summaryIn(live: LiveShoot): ShootSummary {
  const { namespace, name, uid, kubernetesVersion, isHibernated, operation, conditions, errors, rotation } = live
  return { namespace, name, uid, kubernetesVersion, isHibernated, operation, conditions, errors, rotation }
}
