export { delayFor, jittered, type Backoff } from './backoff.ts'
export {
  elapsedSince,
  instantOf,
  manualClock,
  sleep,
  systemClock,
  type Clock,
  type Instant,
  type ManualClock,
} from './clock.ts'
export { dropCondition, findCondition, setCondition, timestamp, type Condition } from './conditions.ts'
export { controller, type ControllerOptions, type Reconcile, type ReportGivenUp, type Run } from './controller.ts'
export {
  decisionLog,
  replay,
  sameValue,
  type DecisionLog,
  type DecisionRecord,
  type DecisionSink,
  type Hide,
  type Replay,
  type ReplayableRecord,
  type ReplayDecision,
  type Replays,
  type RunEnd,
  type RunOutcome,
} from './decisions.ts'
export { answerWithin } from './deadline.ts'
export {
  defineFailures,
  failureOf,
  FailureError,
  knownFailures,
  messageOf,
  MOVERS,
  retryAfterOf,
  storable,
  type Failure,
  type FailureKind,
  type Mover,
} from './errors.ts'
export type { Explanation } from './explanation.ts'
export { FairLane, LaneRefused, type FairLaneOptions } from './fair-lane.ts'
export { addFinalizer, finalizerStep, removeFinalizer, type Finalizable, type FinalizerStep } from './finalizer.ts'
export { createEmitter, withEvents, type Emitter, type KernelEvents } from './emitter.ts'
export { keyText, priorityOf, sameKey, strongerReason, WAKE_REASONS, type Key, type WakeReason } from './key.ts'
export { holding, TARGET_LOCK_LOST, type HeldTargets, type HeldWork, type HoldingOptions } from './holding.ts'
export { notLeading, type LeaderElection, type Term } from './leader.ts'
export {
  targetName,
  type LockAnswer,
  type LockHolder,
  type LockRequest,
  type TargetLock,
  type TargetLocks,
} from './locks.ts'
export { hideWith } from './masking/hide.ts'
export { masker, type Masker } from './masking/masker.ts'
export { MemoryQueue, type MemoryQueueOptions } from './queue/memory-queue.ts'
export { mergeWakes } from './queue/merge-wakes.ts'
export { nearest } from './nearest.ts'
export { checkAgain, settled, Waiting, type Outcome } from './outcome.ts'
export type { Claim, Finish, Queue, Renewal, Share, Wake } from './queue/queue.ts'
export { seededRandom, type Random } from './random.ts'
export { refuse, RefusedFields, type RefusedField } from './refusals.ts'
export {
  aborted,
  atEnd,
  every,
  service,
  startAll,
  unlessAborted,
  until,
  type EveryOptions,
  type Service,
  type UntilOptions,
} from './service.ts'
export { mergeTimeline, TIMELINE_SOURCES, timelineEntry, type TimelineEntry } from './timeline.ts'
