import type { ReportGivenUp } from '../../kernel/index.ts'
import type { ClassRuntimeStatus } from './class-runtime.ts'
import { conditionOf, conditionsOf } from './judge/phase.ts'
import type { ReconcilerDeps } from './reconciler.ts'
import { record } from './record.ts'
import { reduce } from './status.ts'

/** The reason of the condition Degraded: the code RuntimeRunNeverEnded without `Runtime`. */
const RUN_NEVER_ENDED = 'RunNeverEnded'
/** Other writers of the status may come first this often. */
const MOST_TRIES = 5

/** Writes why a runtime is no longer reconciled into its status. `decide` is not called: that may be what hangs. */
export const reportGivenUp =
  ({ client, caches, clock, events }: Pick<ReconcilerDeps, 'client' | 'caches' | 'clock' | 'events'>): ReportGivenUp =>
  async ({ key: { id }, signal }, { message }) => {
    const [namespace = '', name = ''] = id.split('/')
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const runtime = caches.runtimes.get({ namespace, name })
      if (runtime === undefined) return
      const { status = {}, metadata } = runtime
      const given = givenUp(status, metadata.generation ?? 0, message, clock.now())
      const recorded = await record(client, caches, runtime, given, signal)
      if (recorded === 'outdated') continue
      const event = { type: 'Warning', action: 'Reconcile', reason: RUN_NEVER_ENDED, note: message } as const
      if (recorded === 'written') events.record(runtime, event)
      return
    }
    throw new Error(`failed to write the status of ${id}: it changed ${MOST_TRIES} times in a row`)
  }

function givenUp(before: ClassRuntimeStatus, generation: number, message: string, now: number): ClassRuntimeStatus {
  const telemetry = conditionOf(before, 'TelemetryConfigured')
  const verdict = { phase: 'degraded', reason: RUN_NEVER_ENDED, message } as const
  const conditions = [...conditionsOf(verdict, generation), ...(telemetry ? [telemetry] : [])]
  return reduce(before, 'controller', { phase: 'degraded', message, observed_generation: generation, conditions }, now)
}

/** Whether this generation is given up. */
export const isGivenUp = (status: ClassRuntimeStatus, generation: number | undefined): boolean => {
  const degraded = conditionOf(status, 'Degraded')
  return (
    degraded?.status === 'True' && degraded.reason === RUN_NEVER_ENDED && degraded.observedGeneration === generation
  )
}
