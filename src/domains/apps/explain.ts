import type { Explanation, Failure } from '../../kernel/index.ts'
import { blockerText, type Decision } from './decide.ts'
import type { HealthSeen, Observed, ReleaseSeen, Unrepairable } from './observed.ts'
import type { Step } from './steps/types.ts'
import type { Deployment, ReconcileJob } from './types.ts'

type ExplainedRow = Pick<
  Deployment,
  | 'status'
  | 'suspendedAt'
  | 'generation'
  | 'observedGeneration'
  | 'lastError'
  | 'namespaceName'
  | 'releaseName'
  | 'deletedAt'
>
type ExplainedJob = Pick<ReconcileJob, 'status' | 'attempt' | 'runAfter'>

export interface ExplainInput {
  readonly deployment: ExplainedRow
  readonly seen: Observed
  readonly decision: Decision
  /** The open job, or the last one; `null` when there never was one. */
  readonly job: ExplainedJob | null
}

/** Whether the runs of this row ended their processes. It must not be observed again: that may be the cause. */
export const isGivenUp = ({ lastError }: Pick<ExplainedRow, 'lastError'>, job: ExplainedJob | null): boolean =>
  job?.status === 'failed' && lastError?.code === 'RunNeverEnded'

/** Explains a row that is suspended, from the row alone: nothing is observed, as no worker would. */
export const explainSuspended = (deployment: ExplainedRow): Explanation => ({
  why: [...intentOf(deployment), 'it is suspended: neither changes nor drift are acted on'],
  next: 'nothing, until it is resumed',
  at: null,
  whoseMove: 'user',
  nextStep: 'Resume it.',
  blockers: [],
})

/** Explains a row that is given up, from the row alone. */
export function explainGivenUp(deployment: ExplainedRow): Explanation {
  const { lastError } = deployment
  return {
    why: [...intentOf(deployment), ...(lastError === null ? [] : [`${lastError.message} (${lastError.code})`])],
    next: PARKED,
    at: null,
    whoseMove: lastError?.whoseMove ?? 'operator',
    nextStep: lastError?.nextStep ?? null,
    blockers: [],
  }
}

/** Explains a row whose cluster cannot be used: nothing in it can be seen. */
export const explainAway = (deployment: ExplainedRow, away: Failure): Explanation => ({
  why: [...intentOf(deployment), `its cluster cannot be used: ${away.message}`],
  next: 'it is looked at as soon as its cluster can be used',
  at: null,
  whoseMove: away.whoseMove,
  nextStep: away.nextStep,
  blockers: [],
})

const PARKED = 'nothing, until the job is requeued, the deployment is changed or the drift scan retries it'

/** Says in sentences what `decide` said in words. Reads only what `decide` saw. */
export function explain({ deployment, seen, decision, job }: ExplainInput, now: number): Explanation {
  const { step } = decision
  const isParked = job?.status === 'failed' && step.do !== 'nothing' && step.do !== 'refuse'
  const ofStep = step.do === 'refuse' || step.do === 'waitFor' ? step.failure : undefined
  const failure = isParked ? (deployment.lastError ?? ofStep) : ofStep
  const isRunning = job?.status === 'running'
  const { at, text } = whenOf(step, job, now)
  const next = isRunning && step.do === 'unlockRelease' ? 'it is applied (now)' : `${nextOf(step, deployment)}${text}`
  return {
    why: [...intentOf(deployment), ...troubleOf(deployment, step), ...worldOf(deployment, seen, isRunning)],
    next: isParked ? PARKED : next,
    at,
    whoseMove: failure?.whoseMove ?? (step.do === 'nothing' ? 'nobody' : 'platform'),
    nextStep: failure?.nextStep ?? null,
    blockers: seen.namespace.is === 'terminating' ? seen.namespace.blockers.map(blockerText) : [],
  }
}

function intentOf({ status, generation, observedGeneration, deletedAt }: ExplainedRow): string[] {
  if (status === 'deleted') return ['it was deleted, and nothing of it is left']
  if (deletedAt !== null) return ['it is to be deleted']
  if (observedGeneration === generation) return ['what was asked for last is applied']
  return [
    observedGeneration === 0
      ? 'it was never applied yet'
      : `change ${generation} is not applied yet; the control plane was last seen to match change ${observedGeneration}`,
  ]
}

function troubleOf({ lastError }: ExplainedRow, step: Step): string[] {
  if (step.do === 'refuse') return [`it cannot go on: ${step.failure.message} (${step.failure.code})`]
  return lastError === null ? [] : [`the last try failed: ${lastError.message} (${lastError.code})`]
}

function worldOf(
  { namespaceName, releaseName }: ExplainedRow,
  { namespace, release, health, drift }: Observed,
  isRunning: boolean,
): string[] {
  switch (namespace.is) {
    case 'absent':
      return [`namespace ${namespaceName} does not exist`]
    case 'foreign':
      return [`namespace ${namespaceName} is not ours`]
    case 'terminating':
      return [`namespace ${namespaceName} is being deleted`]
    case 'active':
      return [
        releaseText(releaseName, release, isRunning),
        ...(release.is === 'deployed' ? healthText(health) : []),
        ...drift.missing.map((object) => `${object} was deleted by hand`),
        ...drift.edited.map((object) => `${object} was edited by hand`),
        ...drift.handedOver
          .filter(({ rule }) => rule === undefined)
          .map(({ object, path, owner }) => `${path} of ${object} is left to ${owner}`),
        ...drift.ignored.map(({ object, path, rule }) => `${path} of ${object} differs: the template ignores ${rule}`),
        ...drift.unrepairable.map(unrepairableText),
      ]
    default:
      return namespace satisfies never
  }
}

const unrepairableText = ({ object, path, because }: Unrepairable): string =>
  path === undefined
    ? `${object} was deleted by hand and cannot be restored: ${because}`
    : `${path} of ${object} was changed by hand and cannot be changed back: ${because}`

function releaseText(name: string, release: ReleaseSeen, isRunning: boolean): string {
  switch (release.is) {
    case 'absent':
      return `release ${name} does not exist`
    case 'deployed':
      return `release ${name} is deployed in revision ${release.revision}`
    case 'failed':
      return `revision ${release.revision} of release ${name} failed`
    case 'pending':
      return isRunning
        ? `the ${release.kind} of revision ${release.revision} of release ${name} is under way`
        : `a worker died during the ${release.kind} of revision ${release.revision} of release ${name}`
    case 'superseded':
      return `revision ${release.revision} of release ${name} was replaced, and its successor is missing`
    case 'uninstalling':
      return `release ${name} is being uninstalled`
    case 'unread':
      return `there are records of release ${name}`
    default:
      return release satisfies never
  }
}

function healthText(health: HealthSeen): string[] {
  switch (health.is) {
    case 'ready':
      return ['everything in it is healthy']
    case 'progressing':
      return [`it is starting: ${health.because}`]
    case 'failing':
      return [`it is not healthy: ${health.diagnostics.message}`]
    default:
      return health satisfies never
  }
}

function nextOf(step: Step, { namespaceName, releaseName }: ExplainedRow): string {
  switch (step.do) {
    case 'ensureNamespace':
      return `namespace ${namespaceName} is created`
    case 'unlockRelease':
      return `revision ${step.revision} is marked as failed, so that release ${releaseName} can be changed again`
    case 'install':
      return `release ${releaseName} is installed`
    case 'upgrade':
      return `release ${releaseName} is upgraded`
    case 'rollBack':
      return `release ${releaseName} goes back to revision ${step.revision}, which was healthy`
    case 'repairObjects':
      return `${step.objects.join(', ')} ${step.objects.length === 1 ? 'is' : 'are'} restored`
    case 'uninstall':
      return `release ${releaseName} is uninstalled${step.hooks ? '' : ', without its hooks because they failed'}`
    case 'deleteNamespace':
      return `namespace ${namespaceName} is deleted with everything in it`
    case 'waitFor':
      return `it is looked at again: ${step.because}`
    case 'nothing':
      return 'nothing, until something changes'
    case 'refuse':
      return step.failure.retryable ? 'it is tried again' : 'nothing, until the deployment or its template changes'
    default:
      return step satisfies never
  }
}

/** The job knows the exact time; without one the world has to move. */
function whenOf(step: Step, job: ExplainedJob | null, now: number): { at: number | null; text: string } {
  if (job?.status === 'running') return { at: now, text: ' (now)' }
  if (job?.status !== 'queued' || step.do === 'nothing') return { at: null, text: '' }
  const seconds = Math.max(0, Math.ceil((job.runAfter - now) / 1000))
  const tries = job.attempt === 0 ? '' : `, try ${job.attempt + 1}`
  return { at: Math.max(job.runAfter, now), text: seconds === 0 ? ` (now${tries})` : ` (in ${seconds} s${tries})` }
}
