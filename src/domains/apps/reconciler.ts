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
import { KubeError, Namespace, type EventRecorder } from '../../kube/index.ts'
import { act } from './act.ts'
import { decide, type DecideInput, type Unwantable } from './decide.ts'
import { raise } from './failures.ts'
import type { AppsEvents } from './events.ts'
import type { VerifiedReleases } from './drift/verified-releases.ts'
import type { Observer, Observation } from './observe.ts'
import type { AppsParts } from './parts.ts'
import { record, type Happened } from './record.ts'
import { masker } from './values/redaction.ts'
import type { LoadedDeployment } from './rows.ts'
import type { Effect } from './steps/step.ts'
import type { Deployment } from './types.ts'

export interface ReconcilerDeps {
  readonly parts: AppsParts
  readonly observer: Pick<Observer, 'observe'>
  readonly verified?: Pick<VerifiedReleases, 'forget'>
  readonly events: EventRecorder
  readonly emitter: Emitter<AppsEvents>
  /** The controller's backoff, to record when the next attempt is due. */
  readonly backoff: Backoff
}

/** Eight steps lead from any state to any other; more of them mean that another writer undoes our changes. */
const MOST_STEPS = 12
/** The pause before asking an unavailable system again. */
const AWAY_MS = 5_000
const INTENT_MS = 2_000

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
  readonly #deps: ReconcilerDeps
  readonly #run: Run
  /** Masks the secrets of the row in every message: the API server quotes the values it refuses. */
  #mask: Masker = masker([])
  #hasEntered = false

  constructor(deps: ReconcilerDeps, run: Run) {
    this.#deps = deps
    this.#run = run
  }

  async toTheEnd(): Promise<Outcome> {
    let loaded: LoadedDeployment | undefined
    try {
      for (let steps = 0; steps < MOST_STEPS; steps++) {
        loaded = await this.#deps.parts.rows.load(this.#run.key.id)
        if (loaded === undefined || loaded.deployment.status === 'deleted') return settled()
        const outcome = await this.#step(loaded)
        if (outcome !== undefined) return outcome
      }
      return checkAgain(AWAY_MS, `${MOST_STEPS} steps were taken in a row`)
    } catch (error) {
      return await this.#failed(loaded?.deployment, error)
    }
  }

  /** `undefined`: a step was taken; observe again. */
  async #step(loaded: LoadedDeployment): Promise<Outcome | undefined> {
    const { parts, observer, emitter } = this.#deps
    const { deployment } = loaded
    const sighting = await observer.observe(loaded, this.#run)
    this.#mask = sighting.mask
    emitter.emit('apps:looked', { deployment: deployment.id, isRemembered: sighting.isRemembered })
    const now = parts.clock.now()
    const input = inputOf(loaded, sighting, this.#run.attempt)
    const decision = decide(input, now)
    const { step } = decision
    const patch = record(deployment, { is: 'decided', decision }, now)
    // A pass that changes nothing is not recorded.
    if (patch !== undefined || step.do !== 'nothing') {
      this.#run.decided({ input, decision, at: now, hide: hideWith(sighting.mask) })
    }
    await this.#write(deployment.id, patch)
    if (step.do === 'nothing') return settled()
    if (step.do === 'waitFor') return checkAgain(step.ms, step.because)
    if (step.do === 'refuse') throw new FailureError(step.failure)
    return this.#act(step, loaded, sighting)
  }

  async #act(step: Effect, loaded: LoadedDeployment, sighting: Observation): Promise<undefined> {
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
    } catch (error) {
      if (!(error instanceof Waiting)) told(this.#failureOf(error))
      throw error
    }
  }

  /** Aborts the work when the deployment is deleted meanwhile, and then answers `undefined`. */
  async #whileWanted<T>(row: Deployment, work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    const { rows, clock } = this.#deps.parts
    if (row.deletedAt !== null) return work(this.#run.signal)
    const [superseded, over] = [new AbortController(), new AbortController()]
    const watching = (async () => {
      while (!superseded.signal.aborted) {
        await sleep(clock, INTENT_MS, over.signal)
        const now = await rows.load(row.id).catch(() => undefined)
        if (now !== undefined && now.deployment.deletedAt !== null)
          superseded.abort(new Error('the deployment is being deleted'))
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
      await this.#note(row, { is: 'failed', failure, retryAt: now + AWAY_MS })
      return checkAgain(AWAY_MS, failure.message)
    }
    await this.#note(row, { is: 'failed', failure, retryAt: this.#retryAt(failure, now) })
    // A failure that the row had before this run is not reported again.
    const isNews = failure.code !== 'StaleFence' && !sameValue(row.lastError, failure)
    if (isNews) this.#tell(row, 'Warning', 'Reconcile', failure.code, failure.message)
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
    const patch = record(present?.deployment ?? row, happened, this.#deps.parts.clock.now())
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
  PASSING.has(code) || (error instanceof KubeError && error.status === 503)

/** The complete input of `decide`, recorded for replay. Its messages are masked before the decision, not after it. */
function inputOf({ deployment }: LoadedDeployment, observation: Observation, attempt: number): DecideInput {
  const { namespaceName, status, generation, observedGeneration, appliedTemplateId, deletedAt } = deployment
  const row = { namespaceName, status, generation, observedGeneration, appliedTemplateId, deletedAt }
  const { seen, mask } = observation
  const wanted = 'problem' in observation.wanted ? maskedProblem(observation.wanted, mask) : observation.wanted
  return { deployment: row, wanted, seen, attempt }
}

const maskedProblem = ({ problem }: Unwantable, { excerpt }: Masker): Unwantable => ({
  problem: { ...problem, message: excerpt(problem.message) },
})
