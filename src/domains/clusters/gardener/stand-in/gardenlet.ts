import { service, aborted, type Clock, type Emitter, type Random, type Service } from '../../../../kernel/index.ts'
import {
  at as placeOf,
  cache,
  isConflict,
  isNotFound,
  type At,
  type Client,
  type WatchEvents,
} from '../../../../kube/index.ts'
import { Shoots } from '../resources.ts'
import { GARDENER_OPERATION, type Shoot } from '../shoot.ts'
import { FINALIZER, nextStep, type LifeStep, type Pace, type StatusPatch } from './life.ts'
import { SIMULATE, type SimulatedCondition, type SimulatedFailure } from './simulated.ts'

export interface GardenletOptions {
  /** With the rights of gardenlet: it writes Shoots and their status. */
  readonly client: Client
  readonly clock: Clock
  readonly emitter: Emitter<WatchEvents>
  readonly random?: Random
  /** @default DEFAULT_PACE */
  readonly pace?: Partial<Pace>
  /** More of the status, reported when an operation succeeds, such as the addresses of the API server. */
  readonly extraStatus?: (shoot: Shoot) => Promise<Partial<StatusPatch>>
  readonly onError?: (error: unknown) => void
}

/** A Shoot is created within some 12 seconds. */
export const DEFAULT_PACE: Pace = { stepMs: 1_000, steps: 12, retryMs: 15_000 }

const AFTER_ERROR_MS = 1_000

/**
 * Stands in for gardenlet: moves every Shoot of a garden through its life, without any machines.
 *
 * It writes what the real one writes (finalizer, status) and reads everything from the Shoots, so that it may be
 * restarted at any time. The annotation `garden.caelus.io/simulate` makes operations fail and conditions degrade.
 */
export interface Gardenlet extends Service {
  /** Lets the operations of a Shoot end in an error until it is healed. */
  fail(at: At, failure: SimulatedFailure): Promise<void>
  degrade(at: At, condition: SimulatedCondition): Promise<void>
  heal(at: At): Promise<void>
}

export function gardenlet(options: GardenletOptions): Gardenlet {
  const { client, clock, emitter, random, extraStatus = async () => ({}), onError = () => {} } = options
  const pace = { ...DEFAULT_PACE, ...options.pace }
  const shoots = cache({ source: client, clock, emitter, ...(random && { random }) }, { resource: Shoots })
  /** The step that each Shoot waits for, and how to call it off. */
  const due = new Map<string, { readonly step: string; readonly cancel: () => void }>()
  const writing = new Set<string>()
  let isStopped = false

  function plan(key: string, at: At): void {
    if (isStopped || writing.has(key)) return
    const shoot = shoots.get(at)
    const step = shoot && nextStep(shoot, pace)
    const text = JSON.stringify(step)
    const waiting = due.get(key)
    if (waiting !== undefined && waiting.step === text) return
    waiting?.cancel()
    due.delete(key)
    if (step === undefined || text === undefined) return
    due.set(key, { step: text, cancel: clock.after(step.afterMs, () => void take(key, at, step)) })
  }

  async function take(key: string, at: At, step: LifeStep): Promise<void> {
    due.delete(key)
    const shoot = shoots.get(at)
    if (isStopped || shoot === undefined) return
    writing.add(key)
    try {
      shoots.wrote(await write(shoot, at, step))
    } catch (error) {
      if (isStopped) return
      if (isNotFound(error)) return
      if (!isConflict(error)) onError(error)
      due.set(key, { step: '', cancel: clock.after(AFTER_ERROR_MS, () => plan(key, at)) })
    } finally {
      writing.delete(key)
      if (!due.has(key)) plan(key, at)
    }
  }

  async function write(shoot: Shoot, at: At, step: LifeStep): Promise<Shoot> {
    const { resourceVersion, finalizers = [] } = shoot.metadata
    switch (step.do) {
      case 'addFinalizer':
        return client.patch(Shoots, at, {
          merge: { metadata: { resourceVersion, finalizers: [...finalizers, FINALIZER] } },
        })
      case 'removeFinalizer': {
        const others = finalizers.filter((finalizer) => finalizer !== FINALIZER)
        return client.patch(Shoots, at, { merge: { metadata: { resourceVersion, finalizers: others } } })
      }
      case 'removeOperation':
        return client.patch(Shoots, at, { merge: { metadata: { annotations: { [GARDENER_OPERATION]: null } } } })
      case 'report': {
        const status = timed(shoot, await reported(shoot, step.status), clock.now())
        return client.patchStatus(Shoots, at, { merge: { status } })
      }
      default:
        return step satisfies never
    }
  }

  const reported = async (shoot: Shoot, status: StatusPatch): Promise<StatusPatch> =>
    status.lastOperation?.state === 'Succeeded' && status.lastOperation.type !== 'Delete'
      ? { ...status, ...(await extraStatus(shoot)) }
      : status

  const simulate = async (at: At, text: string | null): Promise<void> => {
    shoots.wrote(await client.patch(Shoots, at, { merge: { metadata: { annotations: { [SIMULATE]: text } } } }))
  }

  const running = service('gardenlet stand-in', async (signal, ready) => {
    const unsubscribe = shoots.onChange((change) => {
      const shoot = change.type === 'deleted' ? change.old : change.new
      plan(change.key, placeOf(shoot))
    })
    try {
      await Promise.race([shoots.start(), aborted(signal)])
      ready()
      await aborted(signal)
    } finally {
      isStopped = true
      unsubscribe()
      for (const { cancel } of due.values()) cancel()
      due.clear()
      await shoots.stop()
    }
  })

  return {
    ...running,
    fail: (at, fail) => simulate(at, JSON.stringify({ fail })),
    degrade: (at, degrade) => simulate(at, JSON.stringify({ degrade })),
    heal: (at) => simulate(at, null),
  }
}

/** The patch with the times that Gardener writes: of the operation, its errors, and each condition that changed. */
function timed({ status: before }: Shoot, patch: StatusPatch, now: number): StatusPatch {
  const time = `${new Date(now).toISOString().slice(0, 19)}Z`
  const { lastOperation, lastErrors, conditions } = patch
  return {
    ...patch,
    ...(lastOperation !== undefined && { lastOperation: { ...lastOperation, lastUpdateTime: time } }),
    ...(lastErrors && { lastErrors: lastErrors.map((error) => ({ ...error, lastUpdateTime: time })) }),
    ...(conditions !== undefined && {
      conditions: conditions.map((condition) => {
        const known = before?.conditions?.find(({ type }) => type === condition.type)
        const since = known?.status === condition.status ? (known.lastTransitionTime ?? time) : time
        return { ...condition, lastTransitionTime: since, lastUpdateTime: time }
      }),
    }),
  }
}
