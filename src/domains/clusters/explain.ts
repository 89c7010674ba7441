import type { Explanation, Failure } from '../../kernel/index.ts'
import type { Decision } from './decide.ts'
import type { LiveShoot, Observed } from './observed.ts'
import type { LoadedCluster } from './rows.ts'
import type { Step } from './steps.ts'
import { operationText } from './words.ts'

/** The key of the cluster in the queue. */
export interface ExplainedJob {
  readonly status: 'queued' | 'running' | 'failed'
  readonly attempt: number
  readonly runAfter: number
}

export interface ExplainInput extends LoadedCluster {
  /** Absent: its Shoot could not be read, as `unseen` says. */
  readonly seen?: Observed
  readonly unseen?: Failure
  readonly decision?: Decision
  /** Null: nothing is planned. */
  readonly job: ExplainedJob | null
}

/** Says in sentences what `decide` said in words. Reads only what `decide` saw. */
export function explain(input: ExplainInput, now: number): Explanation {
  const { cluster, sync, seen, unseen, decision, job } = input
  if (sync.status === 'deleted') return NOTHING_LEFT
  const failure = failureNow(input)
  const { at, text } = whenOf(decision?.step, job, now)
  const live = seen?.shoot.is === 'present' ? seen.shoot.live : undefined
  return {
    why: [
      ...intentOf({ cluster, sync }),
      ...(sync.failure === null ? [] : [`the last try failed: ${sync.failure.message} (${sync.failure.code})`]),
      ...(unseen === undefined ? [] : [`its Shoot could not be read: ${unseen.message} (${unseen.code})`]),
      ...(seen === undefined ? [] : worldOf(seen)),
      ...(decision === undefined ? [] : [`its status is ${decision.truth.status}: ${decision.truth.message}`]),
    ],
    next: isParked(job) ? PARKED : `${nextOf(decision?.step)}${text}`,
    at,
    whoseMove: failure?.whoseMove ?? (decision?.truth.status === 'ready' ? 'nobody' : 'platform'),
    nextStep: failure?.nextStep ?? null,
    blockers: cluster.deletedAt === null || live === undefined ? [] : blockersOf(live),
  }
}

const NOTHING_LEFT: Explanation = {
  why: ['it was deleted, and nothing of it is left'],
  next: 'nothing',
  at: null,
  whoseMove: 'nobody',
  nextStep: null,
  blockers: [],
}

const PARKED = 'nothing, until it is changed, a sync is asked for, or the next pass over all clusters'

const isParked = (job: ExplainedJob | null): boolean => job?.status === 'failed'

/** The failure that a person should act on: of the step, then of the last sync, then of reading it now, then of Gardener. */
function failureNow({ sync, unseen, decision }: ExplainInput): Failure | undefined {
  const step = decision?.step
  const ofStep = step?.do === 'refuse' || step?.do === 'waitFor' ? step.failure : undefined
  return ofStep ?? sync.failure ?? unseen ?? decision?.truth.failure ?? undefined
}

function intentOf({ cluster, sync }: LoadedCluster): string[] {
  if (cluster.deletedAt !== null) return ['it is to be deleted']
  if (sync.syncedGeneration === sync.generation) return ['the latest change has been written to Gardener']
  return [
    sync.syncedGeneration === 0
      ? 'it was never written to Gardener yet'
      : `change ${sync.generation} is not written to Gardener yet; the last one that is, is change ${sync.syncedGeneration}`,
  ]
}

function worldOf({ shoot, namespace, problem }: Observed): string[] {
  const refused = problem === undefined ? [] : [`it cannot go on: ${problem.message} (${problem.code})`]
  if (shoot.is === 'absent') {
    const place =
      namespace.is === 'pending' ? [`Gardener has not made the namespace of project ${namespace.project} yet`] : []
    return [...refused, 'its Shoot does not exist', ...place]
  }
  const { live, drift } = shoot
  return [
    ...refused,
    `Shoot ${live.namespace}/${live.name} ${live.isDeleting ? 'is being deleted' : 'exists'}`,
    ...operationOf(live),
    ...live.errors.map(({ description, codes }) => [description, ...codes].join(' ')),
    ...drift.map((path) => `${path} differs from what was ordered`),
  ]
}

function operationOf({ operation }: LiveShoot): string[] {
  if (operation === null) return ['Gardener has not begun with it yet']
  const { type, state, progress, description } = operation
  return [`the last operation of Gardener is ${type}, ${state} at ${progress} %: ${description}`]
}

/** What keeps Gardener from deleting it. */
const blockersOf = ({ isDeleting, errors }: LiveShoot): string[] =>
  isDeleting ? errors.map(({ description, codes }) => [description, ...codes].join(' ')) : []

function nextOf(step: Step | undefined): string {
  switch (step?.do) {
    case undefined:
      return 'Gardener is asked again'
    case 'nothing':
      return 'nothing, until it is changed or Gardener tells something new'
    case 'ensureNamespace':
      return 'its project is looked for, and made where it is missing'
    case 'apply':
      if (step.why === 'missing') return 'its Shoot is created'
      return step.why === 'changed'
        ? 'the change is written to its Shoot'
        : `a change by hand is undone: ${step.fields.join(', ')}`
    case 'operate':
      return `Gardener is asked to ${operationText(step.operation)}`
    case 'remove':
      return 'its Shoot is deleted'
    case 'forget':
      return 'Gardener is asked whether its Shoot is gone'
    case 'waitFor':
      return `it is looked at again: ${step.because}`
    case 'refuse':
      return 'it is tried again'
    default:
      return step satisfies never
  }
}

/** The queue knows the exact time; without a key in it Gardener has to move. */
function whenOf(
  step: Step | undefined,
  job: ExplainedJob | null,
  now: number,
): { readonly at: number | null; readonly text: string } {
  if (job?.status === 'running') return { at: now, text: ' (now)' }
  if (job?.status !== 'queued' || step?.do === 'nothing') return { at: null, text: '' }
  const seconds = Math.max(0, Math.ceil((job.runAfter - now) / 1000))
  const tries = job.attempt === 0 ? '' : `, try ${job.attempt + 1}`
  return { at: Math.max(job.runAfter, now), text: seconds === 0 ? ` (now${tries})` : ` (in ${seconds} s${tries})` }
}
