import {
  checkAgain,
  failureOf,
  FailureError,
  retryAfterOf,
  settled,
  Waiting,
  type Clock,
  type Emitter,
  type Failure,
  type Outcome,
  type Reconcile,
  type Run,
} from '../../kernel/index.ts'
import { act } from './act.ts'
import { decide, isOperationOpen, type DecideInput, type Decision } from './decide.ts'
import type { ClustersEvents } from './events.ts'
import { raise } from './failures.ts'
import type { Gardener } from './gardener/gardener.ts'
import { observe, type Memory, type Observation } from './observe.ts'
import { isClaim, record, type Done, type Happened, type Recorded } from './record.ts'
import type { ClusterRows, LoadedCluster } from './rows.ts'
import type { GardenerSettings } from './shoot/wanted.ts'
import type { Effect } from './steps.ts'

export interface ReconcilerDeps {
  readonly gardener: Gardener
  readonly rows: Pick<ClusterRows, 'load' | 'write'>
  readonly settings: GardenerSettings
  readonly clock: Clock
  readonly emitter: Emitter<ClustersEvents>
}

/** Five steps lead from any state to any other; more of them mean that another writer undoes our changes. */
const MOST_STEPS = 8
/** The pause before observing again what ends by itself. */
const PASSING_MS = 10_000

/** Gardener does not answer. It costs no attempt of the cluster, and the queue waits as after any failure. */
export const AWAY = 'GardenerUnreachable'
/** These clear up without a change of the cluster, so waiting for them costs no attempt. */
const PASSING: ReadonlySet<string> = new Set(['NamespacePending', 'ShootTerminating'])

/** Observes, decides, acts and records, step by step until there is nothing to do. */
export function clustersReconcile(deps: ReconcilerDeps): Reconcile {
  return async (run) => {
    const loaded = await deps.rows.load(run.key.id)
    return loaded === undefined || loaded.sync.status === 'deleted'
      ? settled()
      : new Reconciling(deps, run, loaded).toTheEnd()
  }
}

/**
 * The row is loaded once: `syncedGeneration` may only be a generation that was loaded before the Shoot was written. A change
 * during the run wakes the cluster again.
 */
class Reconciling {
  readonly #deps: ReconcilerDeps
  readonly #run: Run
  readonly #memory: Memory = { isApplied: false }
  #loaded: LoadedCluster
  /** What was done and is not written yet. */
  #done: Done | undefined
  /** What the step under way has begun with. It is written with what became of it: a sync takes milliseconds. */
  #begun: Recorded | undefined
  #decision: Decision | undefined

  constructor(deps: ReconcilerDeps, run: Run, loaded: LoadedCluster) {
    this.#deps = deps
    this.#run = run
    this.#loaded = loaded
  }

  async toTheEnd(): Promise<Outcome> {
    try {
      for (let steps = 0; steps < MOST_STEPS; steps++) {
        const outcome = await this.#step()
        if (outcome !== undefined) return outcome
      }
      return checkAgain(PASSING_MS, `${MOST_STEPS} steps were taken in a row`)
    } catch (error) {
      return await this.#failed(error)
    }
  }

  /** `undefined`: a step was taken; observe again. */
  async #step(): Promise<Outcome | undefined> {
    const { clock } = this.#deps
    const observation = await observe(this.#deps, this.#loaded, this.#memory, this.#run.signal)
    const now = clock.now()
    const input = inputOf(this.#loaded, observation)
    const decision = decide(input, now)
    this.#decision = decision
    const { step } = decision
    const { shoot } = observation.seen
    const live = shoot.is === 'present' ? shoot.live : undefined
    const { attempt } = this.#run
    const isNews = await this.#record({ is: 'decided', decision, live, done: this.#done, attempt })
    // A look that finds nothing new, or progress alone, is not recorded.
    if (isNews || (step.do !== 'nothing' && step.do !== 'waitFor')) this.#run.decided({ input, decision, at: now })
    this.#done = undefined
    if (step.do === 'nothing') return settled()
    if (step.do === 'waitFor') return checkAgain(step.ms, step.because)
    if (step.do === 'refuse') throw new FailureError(step.failure)
    return this.#act(step, observation)
  }

  async #act(step: Effect, observation: Observation): Promise<Outcome | undefined> {
    const { clock, emitter } = this.#deps
    const { fence, assertLeased, signal } = this.#run
    const since = clock.now()
    const told = (failure?: Failure): void => {
      const ms = clock.now() - since
      emitter.emit('clusters:step', { cluster: this.#run.key.id, step: step.do, ms, ...(failure && { failure }) })
    }
    const acting = {
      loaded: this.#loaded,
      observation,
      memory: this.#memory,
      write: { fence, assertLeased, signal },
    }
    const isDone = await act(this.#deps, step, acting).catch((error: unknown) => {
      if (!(error instanceof Waiting)) told(failureOf(error))
      throw error
    })
    told()
    if (step.do === 'forget' && isDone) {
      await this.#record({ is: 'gone' })
      return settled()
    }
    this.#done = isDone && isClaim(step) ? step : undefined
    return undefined
  }

  async #failed(error: unknown): Promise<Outcome> {
    if (error instanceof Waiting || this.#run.signal.aborted) throw error
    const failure = failureOf(error)
    const isPassing = PASSING.has(failure.code)
    const isAway = failure.code === AWAY
    if (isAway) {
      this.#deps.emitter.emit('clusters:gardenerAway', { error })
      if (this.#isLeftToPoll()) return settled()
    }
    const { truth } = this.#decision ?? {}
    const attempts = isPassing || isAway ? {} : { attempts: this.#run.attempt + 1 }
    await this.#note({ is: 'failed', failure, ...attempts, ...(truth && { truth }) })
    if (isPassing) return checkAgain(PASSING_MS, failure.message)
    const retryAfterMs = retryAfterOf(error)
    throw new FailureError(failure, { ...(retryAfterMs !== undefined && { retryAfterMs }) })
  }

  /**
   * The row asks for nothing; only the status is not known. The fallback poll wakes the cluster in turn, and so does the pass
   * once the watch is current again. While it is current, the poll does not run.
   */
  #isLeftToPoll(): boolean {
    const { gardener, clock } = this.#deps
    const { cluster, sync } = this.#loaded
    if (gardener.shoots.isCurrent || this.#begun !== undefined) return false
    const isSynced = sync.generation === sync.syncedGeneration && cluster.deletedAt === null
    return isSynced && !isOperationOpen(cluster.operation, sync, clock.now())
  }

  /** Never throws: the caller reports the error that is recorded here. */
  async #note(happened: Happened): Promise<void> {
    try {
      await this.#record(happened)
    } catch {
      // The next run finds out the same.
    }
  }

  /** Whether it belongs into the history. */
  async #record(happened: Happened): Promise<boolean> {
    const { cluster, sync } = this.#loaded
    const recorded = joined(this.#begun, record(sync, happened, this.#deps.clock.now()))
    this.#begun = undefined
    if (recorded === undefined) return false
    if (happened.is === 'decided' && isClaim(happened.decision.step)) {
      this.#begun = recorded
      // The outcome is compared with it, so that no status is written that has ended by then, and none twice.
      this.#loaded = { ...this.#loaded, sync: { ...sync, ...recorded.patch } }
      return true
    }
    const { patch, events } = recorded
    if (!(await this.#deps.rows.write(cluster.id, this.#run.fence, patch, events)))
      throw raise.ClusterStaleFence(
        `failed to write the row of cluster ${cluster.id}: its lease has passed to another worker`,
      )
    this.#loaded = { ...this.#loaded, sync: { ...sync, ...patch } }
    return events.length > 0
  }
}

/** Both in one write; what came later counts. */
function joined(begun: Recorded | undefined, then: Recorded | undefined): Recorded | undefined {
  if (begun === undefined || then === undefined) return begun ?? then
  return { patch: { ...begun.patch, ...then.patch }, events: [...begun.events, ...then.events] }
}

/** The complete input of `decide`, recorded for replay. */
export function inputOf({ cluster, sync, appsLeft }: LoadedCluster, { seen }: Observation): DecideInput {
  const { operation, deletedAt } = cluster
  const { generation, syncedGeneration, status, statusMessage, statusChangedAt, retries, closedOperation } = sync
  return {
    cluster: { operation, deletedAt, ...(appsLeft !== undefined && { appsLeft }) },
    sync: { generation, syncedGeneration, status, statusMessage, statusChangedAt, retries, closedOperation },
    seen,
  }
}
