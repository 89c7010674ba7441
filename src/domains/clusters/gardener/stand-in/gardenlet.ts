import {
  service,
  aborted,
  timestamp,
  type Clock,
  type Emitter,
  type Random,
  type Service,
} from '../../../../kernel/index.ts'
import {
  at as placeOf,
  cache,
  isConflict,
  isNotFound,
  Namespace,
  type At,
  type Client,
  type WatchEvents,
} from '../../../../kube/index.ts'
import { projectOfNamespace } from '../../shoot/names.ts'
import { Shoots } from '../resources.ts'
import { GARDENER_OPERATION, type Shoot } from '../shoot.ts'
import { FINALIZER, nextStep, NOW, type LifeStep, type Pace, type StatusPatch } from './life.ts'
import { withoutRotations } from './rotation.ts'
import { SIMULATE, type SimulatedCondition, type SimulatedFailure } from './simulated.ts'

export interface GardenletOptions {
  /** With the rights of gardenlet: it writes Shoots and their status. */
  readonly client: Client
  readonly clock: Clock
  readonly emitter: Emitter<WatchEvents>
  readonly random?: Random
  /** @default DEFAULT_PACE */
  readonly pace?: Partial<Pace>
  /** Done before a new Shoot is held, such as the choice of a seed. Answers the Shoot as it is then. */
  readonly prepare?: (shoot: Shoot) => Promise<Shoot>
  /** Makes the API server of a Shoot reachable before an operation is reported to have succeeded. */
  readonly publish?: (shoot: Shoot) => Promise<Pick<StatusPatch, 'advertisedAddresses'>>
  /** Takes back what was published, before a deleted Shoot is let go. */
  readonly withdraw?: (shoot: Shoot) => Promise<void>
  readonly onError?: (error: unknown) => void
}

/** A Shoot is created within some 12 seconds. */
export const DEFAULT_PACE: Pace = { stepMs: 1_000, steps: 12, retryMs: 15_000 }

const AFTER_ERROR_MS = 1_000
/** How many Shoots are written at once. */
const WRITES = 16

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
  const { client, clock, emitter, random, onError = () => {} } = options
  const { prepare = async (shoot) => shoot, publish = async () => ({}), withdraw = async () => {} } = options
  const pace = { ...DEFAULT_PACE, ...options.pace }
  const shoots = cache({ source: client, clock, emitter, ...(random && { random }) }, { resource: Shoots })
  /** The step that each Shoot waits for, and how to call it off. */
  const due = new Map<string, { readonly step: string; readonly cancel: () => void }>()
  /** The Shoots whose step is due but for the bound of writes, in their order. */
  const line = new Map<string, () => Promise<void>>()
  const writing = new Set<string>()
  /** By namespace: the name of its project. */
  const projects = new Map<string, string>()
  let isStopped = false

  function plan(key: string, at: At): void {
    if (isStopped || writing.has(key)) return
    const shoot = shoots.get(at)
    const step = shoot && nextStep(shoot, pace)
    const text = JSON.stringify(step)
    const waiting = due.get(key)
    if (waiting !== undefined && waiting.step === text) return
    waiting?.cancel()
    line.delete(key)
    due.delete(key)
    if (step === undefined || text === undefined) return
    const queue = (): void => {
      line.set(key, () => take(key, at, step))
      serve()
    }
    due.set(key, { step: text, cancel: clock.after(step.afterMs, queue) })
  }

  function serve(): void {
    for (const [key, next] of line) {
      if (writing.size >= WRITES) return
      line.delete(key)
      void next()
    }
  }

  async function take(key: string, at: At, step: LifeStep): Promise<void> {
    due.delete(key)
    const shoot = shoots.get(at)
    if (isStopped || shoot === undefined) return
    writing.add(key)
    try {
      await write(shoot, at, step)
    } catch (error) {
      if (isStopped) return
      if (!isConflict(error) && !isNotFound(error)) onError(error)
      due.set(key, { step: '', cancel: clock.after(AFTER_ERROR_MS, () => plan(key, at)) })
    } finally {
      writing.delete(key)
      if (!due.has(key)) plan(key, at)
      serve()
    }
  }

  async function write(shoot: Shoot, at: At, step: LifeStep): Promise<void> {
    const { uid, finalizers = [], annotations } = shoot.metadata
    switch (step.do) {
      case 'addFinalizer': {
        const prepared = await prepare(shoot)
        // Another writer may be faster than the finalizer; what was prepared is not prepared again.
        if (prepared !== shoot) shoots.wrote(prepared)
        return await hold(prepared, at, [...(prepared.metadata.finalizers ?? []), FINALIZER])
      }
      case 'removeFinalizer':
        await withdraw(shoot)
        return await hold(
          shoot,
          at,
          finalizers.filter((finalizer) => finalizer !== FINALIZER),
        )
      case 'removeOperation': {
        const left = withoutRotations(annotations?.[GARDENER_OPERATION])
        const merge = { metadata: { uid, annotations: { [GARDENER_OPERATION]: left } } }
        return shoots.wrote(await client.patch(Shoots, at, { merge }))
      }
      case 'report': {
        const status = timed(shoot, await reported(shoot, step.status), clock.now())
        return shoots.wrote(await client.patchStatus(Shoots, at, { merge: { metadata: { uid }, status } }))
      }
      default:
        return step satisfies never
    }
  }

  /** Carries the version that was read, so that finalizers of others are kept. */
  async function hold(shoot: Shoot, at: At, finalizers: readonly string[]): Promise<void> {
    const { uid = '', resourceVersion, deletionTimestamp } = shoot.metadata
    const written = await client.patch(Shoots, at, { merge: { metadata: { uid, resourceVersion, finalizers } } })
    if (deletionTimestamp !== undefined && finalizers.length === 0) shoots.deleted(at, uid)
    else shoots.wrote(written)
  }

  async function reported(shoot: Shoot, status: StatusPatch): Promise<StatusPatch> {
    const { state, type } = status.lastOperation ?? {}
    const isNamed = (shoot.status?.technicalID ?? '') !== ''
    const { namespace = '', name } = shoot.metadata
    return {
      ...status,
      ...(!isNamed && { technicalID: `shoot--${await projectOf(namespace)}--${name}` }),
      ...(state === 'Succeeded' && type !== 'Delete' && (await publish(shoot))),
    }
  }

  async function projectOf(namespace: string): Promise<string> {
    const known = projects.get(namespace)
    if (known !== undefined) return known
    const found = await client.get(Namespace, { name: namespace })
    const project = found?.metadata.labels?.['project.gardener.cloud/name'] ?? projectOfNamespace(namespace)
    projects.set(namespace, project)
    return project
  }

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
      line.clear()
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

/** The patch with the times that Gardener writes: of the operation, its errors, rotations, and changed conditions. */
function timed({ status: before }: Shoot, patch: StatusPatch, now: number): StatusPatch {
  const time = timestamp(now)
  const { lastOperation, lastErrors, conditions, credentials } = patch
  const inTime = (_: string, value: unknown): unknown => (value === NOW ? time : value)
  return {
    ...patch,
    ...(credentials && { credentials: JSON.parse(JSON.stringify(credentials, inTime)) as typeof credentials }),
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
