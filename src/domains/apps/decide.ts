import type { Failure } from '../../kernel/index.ts'
import { raise } from './failures.ts'
import type { Blocker, NamespaceSeen, Observed, ReleaseSeen } from './observed.ts'
import type { DataPolicy, Step } from './steps/types.ts'
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
    'namespaceName' | 'status' | 'generation' | 'observedGeneration' | 'appliedTemplateId' | 'deletedAt'
  >
  readonly wanted: Wanted | Unwantable
  readonly seen: Observed
  /** Runs of this job that ended in an error. */
  readonly attempt: number
}

export interface Decision {
  readonly step: Step
  readonly status: DeploymentStatus
}

/** How often to look whether a rollout or a deletion got on. */
const LOOK_AGAIN_MS = 5_000
/** A namespace that takes longer than this to go is blocked by something worth naming. */
export const SLOW_DELETE_MS = 120_000
const SLOW_LOOK_AGAIN_MS = 60_000
/** Uninstalls that may fail with hooks before they are tried without. */
const HOOK_ATTEMPTS = 3

/** One step towards what the row asks for. Pure and total: it reads only its arguments. */
export function decide(input: DecideInput, now: number): Decision {
  return input.deployment.deletedAt === null ? decideApply(input, now) : decideDelete(input, now)
}

function decideApply({ deployment, wanted, seen }: DecideInput, now: number): Decision {
  if (seen.namespace.is === 'foreign') return refuse(taken(deployment.namespaceName, seen.namespace.label))
  if ('problem' in wanted) return refuse(wanted.problem)
  switch (seen.namespace.is) {
    case 'terminating':
      return { step: awaitNamespace(deployment.namespaceName, seen.namespace, now), status: 'provisioning' }
    case 'absent':
      return { step: { do: 'ensureNamespace' }, status: 'provisioning' }
    case 'active':
      return decideRelease(deployment, wanted, seen, now)
    default:
      return seen.namespace satisfies never
  }
}

function decideRelease(deployment: DecideInput['deployment'], wanted: Wanted, seen: Observed, now: number): Decision {
  const { release } = seen
  const working: DeploymentStatus = deployment.appliedTemplateId === null ? 'provisioning' : 'upgrading'
  switch (release.is) {
    case 'absent':
      return {
        step: { do: 'install', timeoutMs: wanted.healthTimeoutMs, policy: dataPolicy(wanted.claims, undefined) },
        status: 'provisioning',
      }
    case 'pending':
    case 'uninstalling':
      return { step: { do: 'unlockRelease', revision: release.revision, how: 'markFailed' }, status: working }
    case 'failed':
    case 'superseded':
      return { step: upgrade(wanted, release, seen), status: working }
    case 'deployed':
      return release.digest === wanted.digest
        ? decideInSync(deployment, wanted, release, seen, now)
        : { step: upgrade(wanted, release, seen), status: working }
    default:
      return release satisfies never
  }
}

/** Fields that others hold make Helm fail, and forcing would undo an autoscaler: ownership is settled before. */
function upgrade(wanted: Wanted, current: Exclude<ReleaseSeen, { is: 'absent' }>, { drift }: Observed): Step {
  if (drift.edited.length > 0) return { do: 'settleOwnership', objects: drift.edited }
  return {
    do: 'upgrade',
    timeoutMs: wanted.healthTimeoutMs,
    policy: dataPolicy(wanted.claims, current.claims),
    handOver: drift.handedOver,
  }
}

function decideInSync(
  { status, generation, observedGeneration, appliedTemplateId }: DecideInput['deployment'],
  wanted: Wanted,
  release: Extract<ReleaseSeen, { is: 'deployed' }>,
  { drift, health }: Observed,
  now: number,
): Decision {
  const wasReady = status === 'ready' && observedGeneration === generation
  const working: DeploymentStatus = wasReady ? 'ready' : appliedTemplateId === null ? 'provisioning' : 'upgrading'
  const objects = [...drift.missing, ...drift.edited]
  if (objects.length > 0) return { step: { do: 'repairObjects', objects }, status: working }
  switch (health.is) {
    case 'ready':
      return { step: { do: 'nothing' }, status: 'ready' }
    case 'progressing':
      return now - release.updatedAt < wanted.healthTimeoutMs || wasReady
        ? { step: { do: 'waitFor', because: health.because, ms: LOOK_AGAIN_MS }, status: working }
        : refuse(raise.NeverHealthy(`not healthy after ${wanted.healthTimeoutMs / 1000} s: ${health.because}`).failure)
    case 'failing':
      return refuse(raise[health.diagnostics.code](health.diagnostics.message).failure)
    default:
      return health satisfies never
  }
}

/** Needs neither template nor chart nor release record: whatever is missing is already deleted. */
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
        release.is === 'absent' ? { do: 'deleteNamespace' } : { do: 'uninstall', hooks: attempt < HOOK_ATTEMPTS },
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

/**
 * Going back must not delete a claim. A first install with claims is kept as it failed; an upgrade is rolled back only when
 * the revision before has every claim of the new one. A claim that the new manifest dropped is kept in any case.
 */
export function dataPolicy(wanted: Wanted['claims'], current: readonly string[] | undefined): DataPolicy {
  if (wanted === 'unknown') return { onFailure: 'keep', keepClaims: current ?? [] }
  if (current === undefined) return { onFailure: wanted.length === 0 ? 'uninstall' : 'keep', keepClaims: [] }
  const added = wanted.filter((claim) => !current.includes(claim))
  return {
    onFailure: added.length === 0 ? 'rollBack' : 'keep',
    keepClaims: current.filter((claim) => !wanted.includes(claim)),
  }
}

const refuse = (failure: Failure): Decision => ({ step: { do: 'refuse', failure }, status: 'error' })

const taken = (name: string, label: string | undefined): Failure =>
  raise.NamespaceTaken(
    label === undefined
      ? `namespace ${name} exists without the label caelus.io/deployment-id`
      : `namespace ${name} belongs to deployment ${label}`,
  ).failure
