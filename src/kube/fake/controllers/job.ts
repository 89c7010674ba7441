import { sameValue } from '../../../kernel/index.ts'
import { Job, type JobCondition, type JobStatus } from '../../types/batch-v1.ts'
import { Pod } from '../../types/core-v1.ts'
import type { Access } from './access.ts'

/** Holds a pod until its end is counted. */
const TRACKING = 'batch.kubernetes.io/job-tracking'
/** Doubles with each failure. */
const BACKOFF = { baseMs: 10_000, capMs: 600_000 }

/**
 * One turn of the Job and TTL controllers. Not implemented: indexed Jobs, success policies, and of pod failure policies
 * all but `Ignore` for pod conditions.
 */
export function runJobs(access: Access): void {
  for (const job of access.list(Job)) {
    const pods = access.list(Pod).filter((pod) => isControlledBy(pod, job))
    const { status, counted, stopped, creates, isExpired: isOver } = nextTurn(job, pods, access.now)
    if (status !== undefined) access.setStatus(Job, job, status)
    for (const pod of counted) access.patch(Pod, pod, withoutTracking)
    for (const pod of stopped) access.delete(Pod, pod)
    for (let created = 0; created < creates; created++) access.create(Pod, podOf(job))
    if (isOver) access.delete(Job, job, { propagation: 'Foreground' })
  }
}

/** What one turn does to a Job. */
export interface JobTurn {
  readonly status?: JobStatus
  /** Pods whose end is now in the status. */
  readonly counted: readonly Pod[]
  /** Active pods that are deleted because the Job has failed. */
  readonly stopped: readonly Pod[]
  /** How many pods are created. */
  readonly creates: number
  /** The time to live after its end has passed. */
  readonly isExpired: boolean
}

const NOTHING: JobTurn = { counted: [], stopped: [], creates: 0, isExpired: false }

export function nextTurn(job: Job, pods: readonly Pod[], now: number): JobTurn {
  const { metadata, spec } = job
  const { active: _, ...status } = job.status ?? {}
  const end = status.conditions?.find(
    ({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True',
  )
  if (end !== undefined) return { ...NOTHING, isExpired: hasExpired(job, end, now) }
  if (metadata.deletionTimestamp !== undefined || spec.suspend === true) return NOTHING

  const counted = pods.filter((pod) => isTracked(pod) && (isSucceeded(pod) || isFailed(job, pod)))
  const succeeded = (status.succeeded ?? 0) + counted.filter(isSucceeded).length
  const failed = (status.failed ?? 0) + counted.filter((pod) => !isSucceeded(pod) && !isIgnored(job, pod)).length
  const living = pods.filter((pod) => !isSucceeded(pod) && !isFailed(job, pod))
  const active = living.filter((pod) => pod.metadata.deletionTimestamp === undefined)
  const verdict = verdictOf(job, { succeeded, failed, now })
  const isOver = verdict !== undefined && living.length === 0
  const wanted = Math.min(spec.parallelism ?? 1, (spec.completions ?? 1) - succeeded)
  const canCreate = verdict === undefined && !isBackingOff(pods, now)
  const creates = canCreate ? Math.max(wanted - living.length, 0) : 0
  const activeCount = verdict === undefined ? active.length + creates : 0
  const next: JobStatus = {
    ...status,
    startTime: status.startTime ?? timeOf(now),
    ...(activeCount > 0 && { active: activeCount }),
    ready: active.filter(isReady).length,
    terminating: living.length - active.length,
    ...(succeeded > 0 && { succeeded }),
    ...(failed > 0 && { failed }),
    uncountedTerminatedPods: {},
    ...(verdict && { conditions: conditionsOf(status, verdict, isOver, now) }),
    ...(isOver && verdict.end === 'Complete' && { completionTime: timeOf(now) }),
  }
  const stopped = verdict?.end === 'Failed' ? active : []
  return { ...(!sameValue(job.status ?? {}, next) && { status: next }), counted, stopped, creates, isExpired: false }
}

interface Verdict {
  readonly end: 'Complete' | 'Failed'
  /** The condition that comes before the end, while pods are still there. */
  readonly target: 'SuccessCriteriaMet' | 'FailureTarget'
  readonly reason: string
  readonly message: string
}

const COMPLETE = { end: 'Complete', target: 'SuccessCriteriaMet', reason: 'CompletionsReached' } as const
const FAILED = { end: 'Failed', target: 'FailureTarget' } as const

interface Counts {
  readonly succeeded: number
  readonly failed: number
  readonly now: number
}

function verdictOf({ spec, status }: Job, { succeeded, failed, now }: Counts): Verdict | undefined {
  const decided = status?.conditions?.find(({ type }) => type === 'FailureTarget')
  if (decided !== undefined) return { ...FAILED, reason: decided.reason ?? '', message: decided.message ?? '' }
  const deadline = Date.parse(status?.startTime ?? '') + (spec.activeDeadlineSeconds ?? Infinity) * 1000
  if (failed > (spec.backoffLimit ?? 6))
    return { ...FAILED, reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' }
  if (succeeded >= (spec.completions ?? 1)) return { ...COMPLETE, message: 'Reached expected number of succeeded pods' }
  if (now >= deadline)
    return { ...FAILED, reason: 'DeadlineExceeded', message: 'Job was active longer than specified deadline' }
  return undefined
}

function conditionsOf({ conditions = [] }: JobStatus, verdict: Verdict, isOver: boolean, now: number): JobCondition[] {
  const { end, target, reason, message } = verdict
  const time = timeOf(now)
  const known = new Set(conditions.map(({ type }) => type))
  const added = [target, ...(isOver ? [end] : [])].filter((type) => !known.has(type))
  return [
    ...conditions,
    ...added.map((type) => ({ type, status: 'True', reason, message, lastProbeTime: time, lastTransitionTime: time })),
  ]
}

const isTracked = ({ metadata }: Pod): boolean => metadata.finalizers?.includes(TRACKING) ?? false
const isSucceeded = ({ status }: Pod): boolean => status?.phase === 'Succeeded'
const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false

/** A terminating pod counts as failed at once, unless the Job has a failure policy, which depends on how the pod ended. */
const isFailed = ({ spec }: Job, { metadata, status }: Pod): boolean =>
  status?.phase === 'Failed' ||
  (metadata.deletionTimestamp !== undefined && spec.podFailurePolicy === undefined && status?.phase !== 'Succeeded')

const isIgnored = ({ spec }: Job, { status }: Pod): boolean =>
  (spec.podFailurePolicy?.rules ?? []).some(
    ({ action, onPodConditions = [] }) =>
      action === 'Ignore' &&
      onPodConditions.some((pattern) =>
        status?.conditions?.some((one) => one.type === pattern.type && one.status === (pattern.status ?? 'True')),
      ),
  )

/** From the end of the last pod that failed, also if the failure policy ignores it. */
function isBackingOff(pods: readonly Pod[], now: number): boolean {
  const ends = pods
    .filter(({ status }) => status?.phase === 'Failed')
    .map(({ metadata, status }) => {
      const { finishedAt } = status?.containerStatuses?.[0]?.state?.terminated ?? {}
      return Date.parse(finishedAt ?? metadata.creationTimestamp ?? '')
    })
  return now < Math.max(...ends) + Math.min(BACKOFF.baseMs * 2 ** (ends.length - 1), BACKOFF.capMs)
}

function hasExpired({ spec, status, metadata }: Job, end: JobCondition, now: number): boolean {
  if (spec.ttlSecondsAfterFinished === undefined || metadata.deletionTimestamp !== undefined) return false
  const since = Date.parse(status?.completionTime ?? end.lastTransitionTime ?? '')
  return now >= since + spec.ttlSecondsAfterFinished * 1000
}

const isControlledBy = (pod: Pod, { metadata }: Job): boolean =>
  pod.metadata.ownerReferences?.some(({ uid, controller }) => controller === true && uid === metadata.uid) ?? false

/** The labels that the API server adds to the template of a Job are on the pod as well. */
function podOf({ metadata, spec }: Job) {
  const { name, namespace, uid = '' } = metadata
  const owner = { apiVersion: 'batch/v1', kind: 'Job', name, uid, controller: true, blockOwnerDeletion: true }
  const { labels, annotations } = spec.template.metadata ?? {}
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      generateName: `${name}-`,
      ...(namespace !== undefined && { namespace }),
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      finalizers: [TRACKING],
      ownerReferences: [owner],
    },
    spec: spec.template.spec ?? { containers: [] },
  } as const
}

const withoutTracking = (pod: Pod): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, finalizers: (pod.metadata.finalizers ?? []).filter((one) => one !== TRACKING) },
})

const timeOf = (now: number): string => `${new Date(now).toISOString().slice(0, 19)}Z`
