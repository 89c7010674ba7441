import type { Backoff, Failure } from '../../kernel/index.ts'
import { raise } from './failures.ts'
import type { Blocker, DriftSeen, HealthSeen, NamespaceSeen, Observed, ReleaseSeen, Stray } from './observed.ts'
import {
  begun,
  dueAt,
  failed,
  givenUp,
  healthy,
  isExhausted,
  isRetried,
  mayRollBack,
  rollingBack,
  rolloutFor,
  type RolloutState,
} from './rollout.ts'
import type { Step } from './steps/types.ts'
import type { Deployment, DeploymentStatus } from './types.ts'

/** What the row and its template ask for, computed without touching the world. */
export interface Wanted {
  readonly digest: string
  readonly healthTimeoutMs: number
  /** Claims of the rendered chart. `unknown` is treated as if there were some. */
  readonly claims: readonly string[] | 'unknown'
}

/** The template is gone, its values do not fit its schema…: nothing can be applied, but deleting needs none of it. */
export interface Unwantable {
  readonly problem: Failure
}

export interface DecideInput {
  readonly deployment: Pick<
    Deployment,
    | 'namespaceName'
    | 'status'
    | 'generation'
    | 'observedGeneration'
    | 'appliedTemplateId'
    | 'retries'
    | 'rollout'
    | 'deletedAt'
  >
  readonly wanted: Wanted | Unwantable
  readonly seen: Observed
  /** Runs of this job that ended in an error. */
  readonly attempt: number
  /** How often one digest is tried, and how long to wait between two tries. */
  readonly backoff: Backoff
}

export interface Decision {
  readonly step: Step
  readonly status: DeploymentStatus
  /** What is remembered of the rollout from now on. Absent: what was. */
  readonly rollout?: RolloutState
}

/** How often to look whether a deletion got on. */
const LOOK_AGAIN_MS = 5_000
/** A namespace that takes longer than this to go is blocked by something worth naming. */
export const SLOW_DELETE_MS = 120_000
const SLOW_LOOK_AGAIN_MS = 60_000
/** A watch tells when health changes; these looks are for what it does not see. */
const [FIRST_HEALTH_LOOK_MS, LAST_HEALTH_LOOK_MS] = [2_000, 30_000]
/** For what the watch does not see: why pods do not start. */
const WATCHED_LOOK_MS = 10_000
/** Controllers may report a failure that they get over by themselves, such as pods that come before their service account. */
const SETTLING_MS = 20_000
/**
 * Uninstalls that may fail with hooks before they are tried without, and as many again before the namespace goes with all:
 * fewer in sum than a job has attempts.
 */
const HOOK_ATTEMPTS = 2

/** One step towards what the row asks for. Pure and total: it reads only its arguments. */
export function decide(input: DecideInput, now: number): Decision {
  return input.deployment.deletedAt === null ? decideApply(input, now) : decideDelete(input, now)
}

function decideApply(input: DecideInput, now: number): Decision {
  const { deployment, wanted, seen } = input
  if (seen.namespace.is === 'foreign') return refuse(taken(deployment.namespaceName, seen.namespace.label))
  if ('problem' in wanted) return refuse(wanted.problem)
  switch (seen.namespace.is) {
    case 'terminating':
      return { step: awaitNamespace(deployment.namespaceName, seen.namespace, now), status: 'provisioning' }
    case 'absent':
      return { step: { do: 'ensureNamespace' }, status: 'provisioning' }
    case 'active':
      if (seen.namespace.differs !== undefined)
        return { step: { do: 'ensureNamespace' }, status: statusMeanwhile(contextOf(input, wanted, now)) }
      return decideRelease(contextOf(input, wanted, now))
    default:
      return seen.namespace satisfies never
  }
}

/** What every question about a release is asked with. */
interface Context extends Pick<DecideInput, 'deployment' | 'seen' | 'backoff'> {
  readonly wanted: Wanted
  readonly rollout: RolloutState
  /** The status while the rollout is under way. */
  readonly working: DeploymentStatus
  readonly now: number
}

const contextOf = ({ deployment, seen, backoff }: DecideInput, wanted: Wanted, now: number): Context => ({
  deployment,
  seen,
  backoff,
  wanted,
  rollout: rolloutFor(deployment, wanted.digest),
  working: deployment.appliedTemplateId === null ? 'provisioning' : 'upgrading',
  now,
})

const wasReady = ({ status, generation, observedGeneration }: DecideInput['deployment']): boolean =>
  observedGeneration === generation && (status === 'ready' || status === 'degraded')

/** While something is put in order that does not touch what the tenant sees. */
const statusMeanwhile = ({ deployment, working }: Context): DeploymentStatus =>
  wasReady(deployment) || deployment.status === 'stalled' ? deployment.status : working

function decideRelease(context: Context): Decision {
  const { wanted, working } = context
  const { release } = context.seen
  switch (release.is) {
    case 'pending':
    case 'uninstalling':
      return { step: { do: 'unlockRelease', revision: release.revision, how: 'markFailed' }, status: working }
    case 'absent':
    case 'failed':
    case 'superseded':
      return nextTry(context, release)
    case 'deployed':
      return release.digest === wanted.digest ? decideInSync(context, release) : nextTry(context, release)
    case 'unread':
      return refuse(raise.ReleaseUnreadable(release.because).failure)
    default:
      return release satisfies never
  }
}

/**
 * What is deployed is not what is wanted, or has failed. A failed try is undone first; then what runs is kept in order until
 * the next try is due, or for good when there is none.
 */
function nextTry(
  context: Context,
  release: Exclude<ReleaseSeen, { is: 'pending' | 'uninstalling' | 'unread' }>,
): Decision {
  const { rollout, backoff, working, now } = context
  const { drift } = context.seen
  const back = rollBack(context, release)
  if (back !== undefined) return back
  const isOver = isExhausted(rollout, backoff)
  const waitMs = dueAt(rollout, backoff) - now
  if (!isOver && waitMs <= 0) return begin(context, release)
  const objects = differing(drift)
  const status = isOver ? givenUp(rollout).status : working
  if (objects.length > 0) return { step: { do: 'repairObjects', objects }, status, rollout }
  if (isOver) return { ...refuse(givenUp(rollout).failure, status), rollout }
  const failure = rollout.failure ?? undefined
  const because = `the next try is due after ${rollout.failures} failed`
  return { step: { do: 'waitFor', because, ms: waitMs, ...(failure && { failure }) }, status, rollout }
}

/** Back to the revision that was healthy, unless that would delete a claim that the failed one has brought. */
function rollBack({ seen, rollout, wanted, working }: Context, release: ReleaseSeen): Decision | undefined {
  const { fallback } = seen
  const hasFailed =
    release.is === 'failed' || (release.is === 'deployed' && release.revision === rollout.failedRevision)
  if (!hasFailed || fallback === undefined || !mayRollBack(rollout)) return undefined
  if (release.claims.some((claim) => !fallback.claims.includes(claim))) return undefined
  return {
    step: {
      do: 'rollBack',
      revision: fallback.revision,
      timeoutMs: wanted.healthTimeoutMs,
      ...removing(seen.strays?.beforeRollBack),
    },
    status: working,
    rollout: rollingBack(rollout),
  }
}

/**
 * Helm is to run. A release that failed before it was ever healthy is removed first, so that its install hooks run again and
 * nothing of it is in the way, unless it holds claims.
 */
function begin(
  { deployment, wanted, seen: { drift, strays }, rollout, working }: Context,
  release: Exclude<ReleaseSeen, { is: 'pending' | 'uninstalling' | 'unread' }>,
): Decision {
  const next = { rollout: begun(rollout) }
  const timeoutMs = wanted.healthTimeoutMs
  if (release.is === 'absent') return { step: { do: 'install', timeoutMs }, status: 'provisioning', ...next }
  const wasHealthy = deployment.appliedTemplateId !== null || rollout.healthyDigest !== null
  const hasFailed = release.is !== 'deployed' || (deployment.rollout?.failures ?? 0) > 0
  if (!wasHealthy && hasFailed && release.claims.length === 0) {
    return { step: { do: 'uninstall', hooks: rollout.failures < HOOK_ATTEMPTS }, status: 'provisioning', ...next }
  }
  const keepClaims = droppedClaims(wanted.claims, release.claims)
  const step: Step = {
    do: 'upgrade',
    timeoutMs,
    keepClaims,
    handOver: drift.handedOver,
    ...removing(strays?.beforeUpgrade),
  }
  return { step, status: working, ...next }
}

const removing = (strays: readonly Stray[] = []): { readonly remove?: readonly Stray[] } =>
  strays.length === 0 ? {} : { remove: strays }

/** A claim that the new manifest dropped is kept in any case. */
export const droppedClaims = (wanted: Wanted['claims'], current: readonly string[]): readonly string[] =>
  wanted === 'unknown' ? current : current.filter((claim) => !wanted.includes(claim))

const differing = ({ missing, edited }: DriftSeen): string[] => [...missing, ...edited]

type Deployed = Extract<ReleaseSeen, { is: 'deployed' }>

function decideInSync(context: Context, release: Deployed): Decision {
  const { deployment, rollout } = context
  const { drift, health } = context.seen
  const objects = differing(drift)
  if (objects.length > 0) return { step: { do: 'repairObjects', objects }, status: statusMeanwhile(context) }
  if (health.is === 'ready') return { step: { do: 'nothing' }, status: 'ready', rollout: healthy(rollout) }
  if (wasReady(deployment)) return unhealthy(context, health)
  if (rollout.failedRevision === release.revision) return nextTry(context, release)
  if (isRetried(deployment, rollout.digest)) return begin(context, release)
  return awaitHealth(context, release, health)
}

type NotReady = Exclude<HealthSeen, { is: 'ready' }>

/** The deadline of a rollout is kept in the row: no process waits for it. */
function awaitHealth(context: Context, release: Deployed, health: NotReady): Decision {
  const { deployment, wanted, rollout, working, now } = context
  // What was deployed before under another intent is given the whole time from now on.
  const since = deployment.rollout === null || rollout.healthyDigest !== release.digest ? release.updatedAt : now
  const deadlineAt = rollout.deadlineAt ?? since + wanted.healthTimeoutMs
  const mayChange = health.is === 'progressing' || now - release.updatedAt < SETTLING_MS
  if (mayChange && now < deadlineAt) {
    const because = becauseOf(health)
    const ms = Math.min(healthLookMs(health, now - (deadlineAt - wanted.healthTimeoutMs)), deadlineAt - now)
    return { step: { do: 'waitFor', because, ms }, status: working, rollout: { ...rollout, deadlineAt } }
  }
  const failure = failureOf(health, wanted.healthTimeoutMs)
  return nextTry({ ...context, rollout: failed(rollout, failure, now, release.revision) }, release)
}

const becauseOf = (health: NotReady): string =>
  health.is === 'progressing' ? (health.diagnostics?.message ?? health.because) : health.diagnostics.message

/** Fewer looks the longer it takes. */
function healthLookMs(health: NotReady, sinceMs: number): number {
  const first = health.is === 'progressing' && health.isWatched === true ? WATCHED_LOOK_MS : FIRST_HEALTH_LOOK_MS
  return Math.max(first, Math.min(LAST_HEALTH_LOOK_MS, Math.round(sinceMs / 4)))
}

function failureOf(health: NotReady, timeoutMs: number): Failure {
  if (health.is === 'failing') return raise[health.diagnostics.code](health.diagnostics.message).failure
  const { because, diagnostics } = health
  if (diagnostics !== undefined) return raise[diagnostics.code](diagnostics.message).failure
  return raise.NeverHealthy(`not healthy after ${timeoutMs / 1000} s: ${because}`).failure
}

/** It was healthy before. A restart or a change of scale is no news as long as some of it answers and it ends in time. */
function unhealthy({ deployment, wanted, rollout, now }: Context, health: NotReady): Decision {
  const deadlineAt = rollout.deadlineAt ?? now + wanted.healthTimeoutMs
  const state = { ...rollout, deadlineAt }
  const isPassing = health.is === 'progressing' && health.isDown !== true && now < deadlineAt
  if (isPassing && deployment.status === 'ready') {
    return {
      step: { do: 'waitFor', because: health.because, ms: WATCHED_LOOK_MS },
      status: 'ready',
      rollout: state,
    }
  }
  const failure = degraded(health)
  return {
    step: { do: 'waitFor', because: failure.message, ms: LAST_HEALTH_LOOK_MS, failure },
    status: 'degraded',
    rollout: state,
  }
}

function degraded(health: NotReady): Failure {
  const code = health.diagnostics?.code ?? 'NeverHealthy'
  return (code === 'NeverHealthy' ? raise.Unhealthy(becauseOf(health)) : raise[code](becauseOf(health))).failure
}

/** Needs neither template nor chart, and of the release only whether there is one: whatever is missing is already deleted. */
function decideDelete({ deployment, seen, attempt }: DecideInput, now: number): Decision {
  const { namespace, release } = seen
  const deleting = (step: Step): Decision => ({ step, status: 'deleting' })
  switch (namespace.is) {
    case 'absent':
      return { step: { do: 'nothing' }, status: 'deleted' }
    case 'foreign':
      return deployment.appliedTemplateId === null && release.is === 'absent'
        ? { step: { do: 'nothing' }, status: 'deleted' }
        : refuse(taken(deployment.namespaceName, namespace.label))
    case 'terminating':
      return deleting(awaitNamespace(deployment.namespaceName, namespace, now))
    case 'active':
      return deleting(
        release.is === 'absent' || attempt >= 2 * HOOK_ATTEMPTS
          ? { do: 'deleteNamespace' }
          : { do: 'uninstall', hooks: attempt < HOOK_ATTEMPTS },
      )
    default:
      return namespace satisfies never
  }
}

function awaitNamespace(
  name: string,
  { since, blockers }: Extract<NamespaceSeen, { is: 'terminating' }>,
  now: number,
): Step {
  const because =
    blockers.length === 0
      ? `namespace ${name} is being deleted`
      : `namespace ${name} cannot go: ${blockers.map(blockerText).join('; ')}`
  if (now - since < SLOW_DELETE_MS) return { do: 'waitFor', because, ms: LOOK_AGAIN_MS }
  return { do: 'waitFor', because, ms: SLOW_LOOK_AGAIN_MS, failure: raise.NamespaceBlocked(because).failure }
}

export const blockerText = ({ name, finalizer, why }: Blocker): string =>
  finalizer === undefined ? `${name}: ${why}` : `${name} waits for finalizer ${finalizer}: ${why}`

const refuse = (failure: Failure, status: DeploymentStatus = 'error'): Decision => ({
  step: { do: 'refuse', failure },
  status,
})

const taken = (name: string, label: string | undefined): Failure =>
  raise.NamespaceTaken(
    label === undefined
      ? `namespace ${name} exists without the label caelus.io/deployment-id`
      : `namespace ${name} belongs to deployment ${label}`,
  ).failure
