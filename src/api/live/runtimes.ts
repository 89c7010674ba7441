import { phaseOf, type RuntimesView } from '../../domains/runtimes/usecases/index.ts'
import type { ClassRuntime } from '../../domains/runtimes/index.ts'
import type { Change, Events } from './events.ts'

const TONES: Readonly<Record<string, Change['tone']>> = { available: 'good', degraded: 'bad' }

/** Publishes every change of a runtime as an event. Returns how to stop. */
export const tellRuntimesChanges = (look: Pick<RuntimesView, 'onChange'>, events: Events): (() => void) =>
  look.onChange((change) => {
    // What was there before we looked is no news.
    if (change.via === 'firstList') return
    events.publish(change.type === 'deleted' ? goneOf(change.old) : changeOf(change.new), 'all')
  })

const subjectOf = ({ metadata }: ClassRuntime) => ({
  topic: 'runtimes',
  kind: 'ClassRuntime',
  object_id: `${metadata.namespace}/${metadata.name}`,
})

const goneOf = (runtime: ClassRuntime): Change => ({
  ...subjectOf(runtime),
  reason: 'deleted',
  message: `${runtime.metadata.name} is gone`,
  tone: 'info',
})

function changeOf(runtime: ClassRuntime): Change {
  const phase = phaseOf(runtime)
  const { message } = runtime.status ?? {}
  return {
    ...subjectOf(runtime),
    reason: phase,
    message: `${runtime.metadata.name} is ${phase}${message === undefined ? '' : `: ${message}`}`,
    tone: TONES[phase] ?? 'wait',
  }
}
