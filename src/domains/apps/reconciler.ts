import {
  checkAgain,
  delayFor,
  FailureError,
  failureOf,
  hideWith,
  retryAfterOf,
  sameValue,
  settled,
  sleep,
  TARGET_LOCK_LOST,
  Waiting,
  type Backoff,
  type Failure,
  type Emitter,
  type Masker,
  type Outcome,
  type Reconcile,
  type Run,
} from '../../kernel/index.ts'
import { KubeError, Namespace, type EventRecorder, type KubeObject } from '../../kube/index.ts'
import { act } from './act.ts'
import { decide, type DecideInput, type Unwantable } from './decide.ts'
import { raise } from './failures.ts'
import type { AppsEvents } from './events.ts'
import type { VerifiedReleases } from './drift/verified-releases.ts'
import type { WorkloadWatch } from './drift/watch.ts'
import { nothingLeft, type Observer, type Observation } from './observe.ts'
import type { AppsParts } from './parts.ts'
import { record, type Happened } from './record.ts'
import { masker } from './values/redaction.ts'
import { countsAsTry, failed, type RolloutState } from './rollout.ts'
import type { LoadedDeployment } from './rows.ts'
import type { Done, Effect } from './steps/step.ts'
import type { Step } from './steps/types.ts'
import { awayOf, ClusterAway, isSilence } from './targets/away.ts'
import type { Used } from './targets/cluster-target.ts'
import type { Deployment, DeploymentStatus } from './types.ts'

/** What a run needs of the control plane that it acts on. */
export interface ReconcileTarget {
  readonly parts: AppsParts
  readonly observer: Pick<Observer, 'observe'>
  readonly verified?: Pick<VerifiedReleases, 'forget'>
  /** @default what was applied is looked at without waiting for it */
  readonly workloads?: WorkloadWatch
  readonly events: EventRecorder
}

/** Those of the clusters of organizations. */
export interface ReconcileTargets {
  use(clusterId: string, patience: () => number, signal: AbortSignal): Promise<Used<ReconcileTarget> | 'gone'>
}

/** The target is that of the platform's own control plane. */
export interface ReconcilerDeps extends ReconcileTarget {
  /** @default there are none */
  readonly clusters?: ReconcileTargets | undefined
  readonly emitter: Emitter<AppsEvents>
  /** The controller's backoff, to record when the next attempt is due. */
  readonly backoff: Backoff
}

/** Ten steps lead from any state to any other; more of them mean that another writer undoes our changes. */
const MOST_STEPS = 12
/** The pause before asking an unavailable system again. */
const AWAY_MS = 5_000
const INTENT_MS = 2_000
/** A step that takes longer waits for a hook: it gives its place away, and a change of intent no longer waits for it. */
const SLOW_STEP_MS = 6_000
/** What is healthy sooner is looked at once, in the run that applied it. */
const STARTING_MS = 3_000
/** How long a run waits for the first connection to a cluster. */
const CONNECTING_MS = 10_000
/** The steps whose failure counts against the digest. */
const TRIES: ReadonlySet<string> = new Set(['install', 'upgrade'])

/** These clear up without a change of the deployment, so waiting for them costs no attempt. */
const PASSING: ReadonlySet<string> = new Set([
  'KubeUnreachable',
  'KubeBusy',
  'KubeNamespaceTerminating',
  'ControlPlaneUnreachable',
  'NamespaceTerminating',
  TARGET_LOCK_LOST,
])

/** Observes, decides, acts and records, step by step until there is nothing to do. */
export function appsReconcile(deps: ReconcilerDeps): Reconcile {
  return (run) => new Reconciling(deps, run).toTheEnd()
}

class Reconciling {
  #deps: ReconcilerDeps
  /** The cluster that the deployment is in. */
  #cluster: Used<ReconcileTarget> | undefined
  readonly #run: Run
  /** Masks the secrets of the row in every message: the API server quotes the values it refuses. */
  #mask: Masker = masker([])
  #hasEntered = false
  /** What the step before has done. */
  #done: Done | undefined
  /** The rollout whose step is being taken. */
  #rollout: RolloutState | undefined
  /** A try of this run that failed. Its rollback comes first, then the run ends with it. */
  #failedTry: Failure | undefined
  /** What the last decision wrote into the row, when it ends the run with a failure. */
  #ending: { readonly status: DeploymentStatus; readonly retryAt?: number } | undefined

  constructor(deps: ReconcilerDeps, run: Run) {
    this.#deps = deps
    this.#run = run
  }

  async toTheEnd(): Promise<Outcome> {
    let loaded: LoadedDeployment | undefined
    try {
      for (let steps = 0; steps < MOST_STEPS; steps++) {
        loaded = await this.#deps.parts.rows.load(this.#run.key.id)
        if (loaded === undefined || isLeftAlone(loaded.deployment)) return settled()
        const { deployment } = loaded
        if (steps === 0 && deployment.clusterId !== null) await this.#enter(deployment, deployment.clusterId)
        const outcome = await this.#step(loaded).catch((error: unknown) =>
          this.#countTry(deployment, this.#inCluster(error)),
        )
        if (outcome !== undefined) return outcome
      }
      return checkAgain(AWAY_MS, `${MOST_STEPS} steps were taken in a row`)
    } catch (error) {
      return await this.#failed(loaded?.deployment, error)
    } finally {
      this.#cluster?.[Symbol.dispose]()
    }
  }

  /** An API server of a cluster that does not answer is nothing that the deployment could help. */
  #inCluster(error: unknown): unknown {
    return this.#cluster !== undefined && isSilence(error) ? this.#cluster.away(error) : error
  }

  /** From now on everything is read from and done in the cluster. */
  async #enter({ deletedAt }: Deployment, clusterId: string): Promise<void> {
    const { clusters } = this.#deps
    if (clusters === undefined)
      throw awayOf(clusterId, raise.ClusterUnreachable('this worker is not connected to clusters'))
    // One that gets no place to wait in comes again.
    const patience = (): number => (this.#run.yieldPlace() ? CONNECTING_MS : 0)
    const used = await clusters.use(clusterId, patience, this.#run.signal)
    if (used !== 'gone') {
      this.#cluster = used
      this.#deps = { ...this.#deps, ...used.target }
      return
    }
    if (deletedAt === null) throw raise.ClusterGone(`cluster ${clusterId}, in which it was, is gone`)
    // What was in it went with it.
    const observer = { observe: async (loaded: LoadedDeployment) => nothingLeft(loaded, this.#deps.parts.settings) }
    this.#deps = { ...this.#deps, observer }
  }

  /** `undefined`: a step was taken; observe again. */
  async #step(loaded: LoadedDeployment): Promise<Outcome | undefined> {
    const { parts, observer, emitter, backoff } = this.#deps
    const { deployment } = loaded
    const sighting = await observer.observe(loaded, { ...this.#run, isEmpty: this.#done?.isEmpty ?? false })
    this.#mask = sighting.mask
    emitter.emit('apps:looked', { deployment: deployment.id, isRemembered: sighting.isRemembered })
    const now = parts.clock.now()
    const input = inputOf(loaded, sighting, { attempt: this.#run.attempt, backoff })
    const decision = decide(input, now)
    const { step } = decision
    this.#rollout = TRIES.has(step.do) ? decision.rollout : undefined
    const { release, drift } = sighting.seen
    const patch = record(deployment, { is: 'decided', decision, unrepairable: drift.unrepairable, release }, now)
    // A pass that changes nothing is not recorded.
    if (patch !== undefined || step.do !== 'nothing') {
      this.#run.decided({ input, decision, at: now, hide: hideWith(sighting.mask) })
    }
    await this.#write(deployment.id, patch)
    if (step.do === 'waitFor' && step.failure !== undefined && isNews(deployment, step.failure)) {
      this.#tell(deployment, 'Warning', 'Observe', step.failure.code, step.failure.message)
    }
    if (step.do === 'nothing') return settled()
    if (decision.rollout?.failedAt === now) this.#tryFailed(deployment, decision.rollout.failure)
    if (step.do === 'waitFor') return this.#wait(step, decision.status, now)
    if (step.do === 'refuse') {
      this.#ending = { status: decision.status }
      throw new FailureError(step.failure)
    }
    const callOff = this.#deps.workloads?.expectChanges(deployment.namespaceName)
    try {
      this.#done = await this.#act(step, loaded, sighting)
      return this.#done?.applied && (await this.#untilStarted(this.#done.applied))
    } finally {
      callOff?.()
    }
  }

  /** Helm does not wait for workloads. A look before they are ready would find out nothing. */
  async #untilStarted(applied: readonly KubeObject[]): Promise<Outcome | undefined> {
    const { workloads } = this.#deps
    if (workloads === undefined || workloads.areHealthy(applied)) return undefined
    if (!this.#run.yieldPlace()) return checkAgain(STARTING_MS, 'its workloads are starting')
    await workloads.untilHealthy(applied, STARTING_MS, this.#run.signal)
    return undefined
  }

  /** Waiting costs no attempt, but the try that failed before it does. */
  #wait({ ms, because }: Extract<Step, { do: 'waitFor' }>, status: DeploymentStatus, now: number): Outcome {
    if (this.#failedTry === undefined) return checkAgain(ms, because)
    this.#ending = { status, retryAt: now + ms }
    throw new FailureError(this.#failedTry, { retryAfterMs: ms })
  }

  /** Records that the digest has failed once more, so that the next look decides how to go on; other errors are thrown on. */
  async #countTry(row: Deployment, error: unknown): Promise<undefined> {
    const rollout = this.#rollout
    const isEnd = rollout === undefined || error instanceof Waiting || this.#run.signal.aborted
    const failure = this.#failureOf(error)
    if (isEnd || isPassing(error, failure) || !countsAsTry(failure)) throw error
    const now = this.#deps.parts.clock.now()
    this.#tryFailed(row, failure)
    const happened = { is: 'failed', failure, retryAt: now, rollout: failed(rollout, failure, now) } as const
    await this.#write(row.id, record(row, happened, now))
  }

  #tryFailed(row: Deployment, failure: Failure | null): void {
    if (failure === null) return
    this.#failedTry = failure
    if (isNews(row, failure)) this.#tell(row, 'Warning', 'Reconcile', failure.code, failure.message)
  }

  async #act(step: Effect, loaded: LoadedDeployment, sighting: Observation): Promise<Done | undefined> {
    const { verified, emitter } = this.#deps
    const { id } = loaded.deployment
    // A process that was suspended longer than its lease sends no write, even before the signal is aborted.
    const parts = { ...this.#deps.parts, client: this.#deps.parts.client.guardedBy(this.#run.assertLeased) }
    const since = parts.clock.now()
    const told = (failure?: Failure): void =>
      emitter.emit('apps:step', {
        deployment: id,
        step: step.do,
        ms: parts.clock.now() - since,
        ...(failure && { failure }),
      })
    try {
      await verified?.forget(id, this.#run.fence)
      const work = (signal: AbortSignal) =>
        act(step, { parts, loaded, sighting, fence: this.#run.fence, hasEntered: this.#hasEntered, signal })
      // A creation under way might be done after the next look, which would find the namespace absent and the deletion done.
      const done =
        step.do === 'ensureNamespace' ? await work(this.#run.signal) : await this.#whileWanted(loaded.deployment, work)
      this.#hasEntered ||= done !== undefined
      if (done !== undefined) this.#tell(loaded.deployment, 'Normal', step.do, done.reason, done.note)
      told()
      return done
    } catch (error) {
      if (!(error instanceof Waiting)) told(this.#failureOf(error))
      throw error
    }
  }

  /**
   * Aborts the work when the deployment is deleted meanwhile, or when it takes long and something else is wanted by then, and
   * then answers `undefined`.
   */
  async #whileWanted<T>(row: Deployment, work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    const { rows, clock } = this.#deps.parts
    if (row.deletedAt !== null) return work(this.#run.signal)
    const since = clock.now()
    const [superseded, over] = [new AbortController(), new AbortController()]
    const watching = (async () => {
      while (!superseded.signal.aborted) {
        await sleep(clock, INTENT_MS, over.signal)
        // Helm waits for a hook by now, and the tenant may wait for long.
        if (clock.now() - since >= SLOW_STEP_MS) this.#run.yieldPlace()
        const now = (await rows.load(row.id).catch(() => undefined))?.deployment
        if (now !== undefined && now.deletedAt !== null) superseded.abort(new Error('the deployment is being deleted'))
        else if (now !== undefined && now.generation !== row.generation && clock.now() - since >= SLOW_STEP_MS)
          superseded.abort(new Error('the deployment was changed'))
        else if (now !== undefined && isLeftAlone(now)) superseded.abort(new Error('the deployment is suspended'))
      }
    })().catch(() => {})
    try {
      return await work(AbortSignal.any([this.#run.signal, superseded.signal]))
    } catch (error) {
      if (superseded.signal.aborted && !this.#run.signal.aborted) return undefined
      throw error
    } finally {
      over.abort()
      await watching
    }
  }

  async #failed(row: Deployment | undefined, error: unknown): Promise<Outcome> {
    const { clock } = this.#deps.parts
    const now = clock.now()
    if (error instanceof Waiting) throw error
    if (row === undefined || this.#run.signal.aborted) throw error
    const failure = this.#failureOf(error)
    if (isPassing(error, failure)) {
      // A cluster that is away for long says when to ask again, and wakes its deployments when it is back.
      const pauseMs = (error instanceof ClusterAway ? retryAfterOf(error) : undefined) ?? AWAY_MS
      await this.#note(row, { is: 'failed', failure, retryAt: now + pauseMs })
      return checkAgain(pauseMs, failure.message)
    }
    const { status, retryAt = this.#retryAt(failure, now) } = this.#ending ?? {}
    await this.#note(row, { is: 'failed', failure, retryAt, ...(status && { status }) })
    if (isNews(row, failure)) this.#tell(row, 'Warning', 'Reconcile', failure.code, failure.message)
    const retryAfterMs = retryAfterOf(error)
    throw new FailureError(failure, { ...(retryAfterMs !== undefined && { retryAfterMs }) })
  }

  #failureOf(error: unknown): Failure {
    const failure = failureOf(error)
    return { ...failure, message: this.#mask.excerpt(failure.message) }
  }

  /** As the controller will schedule it, without its jitter. */
  #retryAt(failure: Failure, now: number): number | null {
    const { backoff } = this.#deps
    const failures = this.#run.attempt + 1
    if (!failure.retryable || failures >= (backoff.maxAttempts ?? Infinity)) return null
    return now + delayFor(failures, backoff)
  }

  /** Never throws: the caller reports the error that is recorded here. */
  async #note(row: Deployment, happened: Happened): Promise<void> {
    const present = await this.#deps.parts.rows.load(row.id).catch(() => undefined)
    // What was changed meanwhile is not what failed.
    const told = { ...(present?.deployment ?? row), generation: row.generation }
    const patch = record(told, happened, this.#deps.parts.clock.now())
    if (patch !== undefined) await this.#deps.parts.rows.write(row.id, this.#run.fence, patch).catch(() => false)
  }

  async #write(id: string, patch: ReturnType<typeof record>): Promise<void> {
    if (patch === undefined || (await this.#deps.parts.rows.write(id, this.#run.fence, patch))) return
    throw raise.StaleFence(`failed to write the row of deployment ${id}: its lease has passed to another worker`)
  }

  #tell({ namespaceName }: Deployment, type: 'Normal' | 'Warning', action: string, reason: string, note: string): void {
    const about = { apiVersion: 'v1', kind: Namespace.kind, metadata: { name: namespaceName } }
    this.#deps.events.record(about, { type, action: action[0]?.toUpperCase() + action.slice(1), reason, note })
  }
}

const isPassing = (error: unknown, { code }: Failure): boolean =>
  error instanceof ClusterAway || PASSING.has(code) || (error instanceof KubeError && error.status === 503)

/** What is suspended is looked at again when it is resumed. */
const isLeftAlone = ({ status, suspendedAt, deletedAt }: Deployment): boolean =>
  status === 'deleted' || (suspendedAt !== null && deletedAt === null)

/** A failure that the row had before this run is not reported again. */
const isNews = (row: Deployment, failure: Failure): boolean =>
  failure.code !== 'StaleFence' && !sameValue(row.lastError, failure)

/** The complete input of `decide`, recorded for replay. Its messages are masked before the decision, not after it. */
export function inputOf(
  { deployment }: LoadedDeployment,
  observation: Observation,
  { attempt, backoff }: Pick<DecideInput, 'attempt' | 'backoff'>,
): DecideInput {
  const { namespaceName, status, generation, observedGeneration, appliedTemplateId, deletedAt } = deployment
  const { retries, rollout } = deployment
  const row = { namespaceName, status, generation, observedGeneration, appliedTemplateId, deletedAt, retries, rollout }
  const { seen, mask } = observation
  const wanted = 'problem' in observation.wanted ? maskedProblem(observation.wanted, mask) : observation.wanted
  return { deployment: row, wanted, seen, attempt, backoff }
}

const maskedProblem = ({ problem }: Unwantable, { excerpt }: Masker): Unwantable => ({
  problem: { ...problem, message: excerpt(problem.message) },
})
