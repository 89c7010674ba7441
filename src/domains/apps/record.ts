import { sameValue, type Failure } from '../../kernel/index.ts'
import type { Decision } from './decide.ts'
import type { ReleaseSeen, Unrepairable } from './observed.ts'
import type { RolloutState } from './rollout.ts'
import type { Deployment, DeploymentStatus } from './types.ts'

/** The columns that reconciling writes; everything else in the row is intent and belongs to people. */
export type RowPatch = Partial<
  Pick<
    Deployment,
    | 'status'
    | 'appliedTemplateId'
    | 'observedGeneration'
    | 'statusGeneration'
    | 'rollout'
    | 'unrepairable'
    | 'lastError'
    | 'lastReconcileAt'
    | 'nextReconcileAt'
  >
> & {
  /** Helm's revision of the generation that is ready now. */
  readonly helmRevision?: number
}

export type Happened =
  /** Before the step is taken: the row says what is going on while it runs. */
  | {
      readonly is: 'decided'
      readonly decision: Decision
      readonly unrepairable?: readonly Unrepairable[]
      readonly release?: ReleaseSeen
    }
  /** The step threw. `retryAt` is `null` when the job was parked. */
  | Failed

interface Failed {
  readonly is: 'failed'
  readonly failure: Failure
  readonly retryAt: number | null
  /** @default `error` when it is not retried */
  readonly status?: DeploymentStatus
  /** The try counts against the digest. */
  readonly rollout?: RolloutState
}

/**
 * What to write into the row, or `undefined` when it already says so.
 *
 * `row` is the row as it was when the step was decided, so `observedGeneration` never runs ahead of what was looked at.
 */
export function record(row: Deployment, happened: Happened, now: number): RowPatch | undefined {
  const outcome = happened.is === 'decided' ? afterDecision(row, happened.decision, now) : afterFailure(row, happened)
  const { rollout } = happened.is === 'decided' ? happened.decision : happened
  const { unrepairable } = happened.is === 'decided' ? happened : {}
  const truth = {
    ...outcome,
    statusGeneration: row.generation,
    ...(rollout && { rollout }),
    ...(unrepairable && { unrepairable }),
  }
  const changes = Object.entries(truth).filter(([column, value]) => !sameValue(row[column as keyof Deployment], value))
  if (changes.every(([column]) => column === 'nextReconcileAt') && isStillWaiting(row, truth)) return undefined
  const helmRevision = outcome.status === 'ready' && happened.is === 'decided' ? revisionIn(happened) : undefined
  return {
    ...(Object.fromEntries(changes) as RowPatch),
    lastReconcileAt: now,
    ...(helmRevision !== undefined && { helmRevision }),
  }
}

/** Told along with what is written anyway: it alone is no reason to write. */
const revisionIn = ({ release }: { readonly release?: ReleaseSeen }): number | undefined =>
  release?.is === 'deployed' ? release.revision : undefined

/** Waiting on is not news: the queue knows the exact time, and a write per look would be noise. */
const isStillWaiting = (row: Deployment, truth: RowPatch): boolean =>
  (row.nextReconcileAt === null) === (truth.nextReconcileAt === null)

/** How long the row has said so decides whether an app still holds a cluster that is being deleted. */
const UNREACHABLE = 'ClusterUnreachable'

function afterDecision(row: Deployment, { step, status, rollout }: Decision, now: number): RowPatch {
  switch (step.do) {
    case 'nothing':
      return {
        status,
        lastError: null,
        nextReconcileAt: null,
        observedGeneration: row.generation,
        ...(status === 'ready' && { appliedTemplateId: row.desiredTemplateId }),
      }
    case 'waitFor':
      // The error of the last try stays until one succeeds.
      return { status, lastError: step.failure ?? rollout?.failure ?? null, nextReconcileAt: now + step.ms }
    case 'refuse':
      return { status, lastError: step.failure, nextReconcileAt: null }
    case 'rollBack':
      // It may take long, and says by itself that something failed.
      return { status, lastError: rollout?.failure ?? row.lastError, nextReconcileAt: null }
    case 'ensureNamespace':
    case 'unlockRelease':
    case 'install':
    case 'upgrade':
    case 'repairObjects':
    case 'uninstall':
    case 'deleteNamespace':
      // Its cluster answers. The error of another kind stays until a try has succeeded.
      return { status, nextReconcileAt: null, ...(row.lastError?.code === UNREACHABLE && { lastError: null }) }
    default:
      return step satisfies never
  }
}

function afterFailure(row: Deployment, { failure, retryAt, status }: Failed): RowPatch {
  const isGivenUp = retryAt === null || !failure.retryable
  return { status: status ?? (isGivenUp ? 'error' : row.status), lastError: failure, nextReconcileAt: retryAt }
}
