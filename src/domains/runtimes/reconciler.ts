import { checkAgain, settled, type Outcome, type Reconcile, type Run } from '../../kernel/index.ts'
import type { EventRecorder } from '../../kube/index.ts'
import { act, type Acting } from './act.ts'
import type { ClassRuntime, ClassRuntimeStatus } from './class-runtime.ts'
import { decide } from './decide.ts'
import { hiding } from './masking.ts'
import { conditionOf } from './judge/phase.ts'
import { observe } from './observe.ts'
import { record } from './record.ts'
import type { RecordedInput } from './replay.ts'
import type { RuntimesSettings } from './settings.ts'
import type { Decision, Done, Phase } from './types.ts'

export interface ReconcilerDeps extends Acting {
  readonly settings: RuntimesSettings
  readonly events: EventRecorder
}

/** Finalizer and children, then what follows from them, then the rest: beyond this something undoes what we do. */
const MOST_ROUNDS = 6
const BUSY_MS = 1_000

/** Observe, decide, act, observe again, record: the only place where they meet. */
export const runtimesReconcile =
  (deps: ReconcilerDeps): Reconcile =>
  (run) =>
    new Reconciling(deps, run).toTheEnd()

class Reconciling {
  readonly #deps: ReconcilerDeps
  readonly #run: Run
  #done: readonly Done[] = []
  #generation: number | undefined

  constructor(deps: ReconcilerDeps, run: Run) {
    this.#deps = deps
    this.#run = run
  }

  async toTheEnd(): Promise<Outcome> {
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const outcome = await this.#round()
      if (outcome !== undefined) return outcome
    }
    return checkAgain(BUSY_MS, `looked at ${MOST_ROUNDS} times in a row without coming to rest`)
  }

  /** `undefined`: something was done, or was found to be outdated; look again. */
  async #round(): Promise<Outcome | undefined> {
    const { clock, settings, client, caches, emitter } = this.#deps
    const now = clock.now()
    const [namespace = '', name = ''] = this.#run.key.id.split('/')
    const seen = observe(this.#deps, { namespace, name }, this.#done, now)
    if (seen === undefined) return settled()
    const { runtime } = seen
    if (this.#isOfBefore(runtime)) return undefined
    const input: RecordedInput = { seen, settings }
    const decision = decide(seen, settings, now)
    const isNews = decision.actions.length > 0 || decision.status !== runtime.status
    if (isNews) this.#run.decided({ input, decision, at: now, hide: (value) => hiding(runtime).hide(value) })
    if (decision.actions.length > 0) {
      this.#done = [...this.#done, ...(await act(this.#deps, runtime, decision.actions, this.#run.signal))]
      return undefined
    }
    const recorded = await record(client, caches, runtime, decision.status, this.#run.signal)
    if (recorded === 'outdated') {
      emitter.emit('runtimes:statusConflict', { runtime: this.#run.key.id })
      return undefined
    }
    if (recorded === 'written') this.#tellPhase(runtime.status, decision)
    if (recorded === 'written' || this.#done.length > 0) this.#tellNotices(runtime, decision)
    const again = decision.checkAgain
    return again === undefined ? settled() : checkAgain(again.afterMs, again.because)
  }

  /** What was done for another generation says nothing about this one. */
  #isOfBefore({ metadata: { generation } }: ClassRuntime): boolean {
    const isOther = this.#generation !== undefined && this.#generation !== generation && this.#done.length > 0
    this.#generation = generation
    if (isOther) this.#done = []
    return isOther
  }

  #tellPhase(before: ClassRuntimeStatus | undefined, { phase, status }: Decision): void {
    if (before?.phase === phase) return
    const { reason = '' } = conditionOf(status, speakerOf(phase)) ?? {}
    this.#deps.emitter.emit('runtimes:phase', {
      runtime: this.#run.key.id,
      ...(before?.phase !== undefined && { from: before.phase as Phase }),
      to: phase,
      reason,
      message: status.message ?? '',
    })
  }

  #tellNotices(runtime: ClassRuntime, { notices }: Decision): void {
    const { text } = hiding(runtime)
    for (const notice of notices) {
      const told = { ...notice, note: text(notice.note) }
      this.#deps.events.record(runtime, told)
      const { type, reason, note } = told
      this.#deps.emitter.emit('runtimes:noticed', { runtime: this.#run.key.id, type, reason, note })
    }
  }
}

/** The condition that says why a runtime is in its phase. */
const speakerOf = (phase: Phase): string => {
  if (phase === 'available') return 'Available'
  return phase === 'degraded' ? 'Degraded' : 'Progressing'
}
