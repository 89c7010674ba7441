import {
  checkAgain,
  createEmitter,
  decisionLog,
  settled,
  systemClock,
  type Clock,
  type Outcome,
  type Service,
} from '../../src/kernel/index.ts'
import {
  at as atOf,
  cache,
  itself,
  keyAt,
  ledController,
  Namespace,
  specChanged,
  wakeOn,
  type At,
  type Cache,
  type Client,
  type Draft,
  type LedControllerEvents,
  type Transport,
} from '../../src/kube/index.ts'
import type { Certified } from '../control-plane/index.ts'
import { LOCAL } from './landscape.ts'
import { Shoot } from './resources.ts'
import { publishAccess, withdrawAccess, type ShootEndpoint } from './shoot-access.ts'
import type { Degraded } from './shoot-conditions.ts'
import { FINALIZER, isUrgent, nextStep, OPERATION, type Pace, type Report, type Step } from './shoot-life.ts'
import { NOTHING_WRONG, SIMULATE, simulationIn, type SimulatedFailure, type Simulation } from './simulation.ts'

/** A cluster is there after some twenty seconds. */
const PACE: Pace = { pendingMs: 1_000, taskMs: 2_000, checkMs: 1_000, retryMs: 15_000 }

const CONCURRENCY = 16

export interface GardenletOptions {
  readonly transport: Transport
  readonly pace?: Partial<Pace>
  /** The API server behind a Shoot, asked for in each operation. */
  readonly endpointOf: (shoot: Shoot) => ShootEndpoint | Promise<ShootEndpoint>
  /** Signs what is in admin kubeconfigs. */
  readonly signer: Certified
  /** A write that failed and is repeated. */
  readonly onProblem?: (message: string) => void
  readonly clock?: Clock
}

/** Leads all Shoots of a garden through their lives, in place of gardenlet: their status alone, no machine is made. */
export interface Gardenlet {
  readonly services: readonly Service[]
  /** Lets operations of the Shoot fail, beginning with the one under way. Without one, a reconciliation has failed. */
  fail(shoot: At, failure: SimulatedFailure): Promise<void>
  /** Makes a condition of the Shoot other than True. */
  degrade(shoot: At, condition: Degraded): Promise<void>
  /** Nothing is wrong any more. An `Error` is gone with the next try; a `Failed` needs to be retried by somebody. */
  heal(shoot: At): Promise<void>
}

export function gardenlet(options: GardenletOptions): Gardenlet {
  const { clock = systemClock, transport, onProblem = () => {} } = options
  const emitter = createEmitter<LedControllerEvents>()
  emitter.on('reconcile:end', ({ failure }) => failure && onProblem(failure.message))
  const { services, plan } = ledController(
    {
      name: 'gardenlet',
      fieldManager: 'gardenlet',
      transport,
      clock,
      random: Math.random,
      instance: 'gardenlet',
      emitter,
      decisions: decisionLog(),
      loop: { concurrency: CONCURRENCY, perTenant: CONCURRENCY, backoff: { baseMs: 200, capMs: 5_000 } },
    },
    ({ client, watching, queue }) => {
      const shoots = cache(watching, { resource: Shoot })
      const lives = new Lives(options, client, shoots, clock)
      wakeOn(shoots, queue, itself(Shoot), {
        clock,
        worth: (change) =>
          specChanged(change) || (change.type === 'changed' && isSimulatedAnew(change.old, change.new)),
      })
      const wake = (at: At): Promise<void> =>
        queue.wake({ kind: Shoot.kind, id: `${at.namespace ?? ''}/${at.name}` }, { reason: 'changed' })
      return {
        caches: [shoots],
        kinds: [{ resource: Shoot, cache: shoots, reconcile: ({ key }) => lives.goOn(keyAt(key)) }],
        lives,
        wake,
      }
    },
  )
  const { lives, wake } = plan
  return {
    services,
    async fail(at, failure) {
      lives.simulate(at, ({ degraded }) => ({ degraded, failure }))
      await wake(at)
    },
    async degrade(at, condition) {
      lives.simulate(at, (old) => ({
        ...old,
        degraded: [...old.degraded.filter(({ type }) => type !== condition.type), condition],
      }))
      await wake(at)
    },
    async heal(at) {
      lives.simulate(at, () => NOTHING_WRONG)
      await wake(at)
    },
  }
}

const isSimulatedAnew = (old: Shoot, next: Shoot): boolean =>
  old.metadata.annotations?.[SIMULATE] !== next.metadata.annotations?.[SIMULATE]

const idOf = ({ namespace = '', name }: At): string => `${namespace}/${name}`

/** Takes the next step of one Shoot at a time, each not before it is due. */
class Lives {
  readonly #options: GardenletOptions
  readonly #client: Client
  readonly #shoots: Cache<Shoot>
  readonly #clock: Clock
  readonly #pace: Pace
  /** By uid: when the next step is due. A Shoot without an entry has waited for long enough. */
  readonly #dueAt = new Map<string, number>()
  readonly #simulations = new Map<string, Simulation>()
  /** How often a failure was reported already. */
  readonly #failures = new Map<string, { readonly of: string; readonly count: number }>()
  readonly #projects = new Map<string, string>()

  constructor(options: GardenletOptions, client: Client, shoots: Cache<Shoot>, clock: Clock) {
    this.#options = options
    this.#client = client
    this.#shoots = shoots
    this.#clock = clock
    this.#pace = { ...PACE, ...options.pace }
  }

  simulate(at: At, change: (old: Simulation) => Simulation): void {
    const next = change(this.#simulations.get(idOf(at)) ?? NOTHING_WRONG)
    this.#simulations.set(idOf(at), next)
    this.#failures.delete(idOf(at))
    if (next.failure !== undefined) this.#dueAt.delete(this.#shoots.get(at)?.metadata.uid ?? '')
  }

  async goOn(at: At): Promise<Outcome> {
    const shoot = this.#shoots.get(at)
    if (shoot === undefined) return this.#forget(at)
    const uid = shoot.metadata.uid ?? ''
    const waitMs = (this.#dueAt.get(uid) ?? 0) - this.#clock.elapsed()
    if (waitMs > 0 && !isUrgent(shoot)) return checkAgain(waitMs, 'the task goes on')
    const step = nextStep(shoot, {
      now: this.#clock.now(),
      pace: this.#pace,
      project: await this.#projectOf(at.namespace ?? ''),
      simulation: this.#simulationOf(shoot),
    })
    await this.#take(shoot, step)
    const afterMs = 'afterMs' in step ? step.afterMs : undefined
    if (afterMs === undefined) {
      this.#dueAt.delete(uid)
      return settled()
    }
    this.#dueAt.set(uid, this.#clock.elapsed() + afterMs)
    return checkAgain(afterMs, step.do)
  }

  #forget(at: At): Outcome {
    this.#simulations.delete(idOf(at))
    this.#failures.delete(idOf(at))
    return settled()
  }

  #simulationOf(shoot: Shoot): Simulation {
    const id = idOf(atOf(shoot))
    const { failure, degraded } =
      simulationIn(shoot.metadata.annotations?.[SIMULATE]) ?? this.#simulations.get(id) ?? NOTHING_WRONG
    if (failure === undefined) return { degraded }
    const spent = this.#failures.get(id)
    const isSpent = spent?.of === JSON.stringify(failure) && spent.count >= (failure.times ?? Infinity)
    return isSpent ? { degraded } : { degraded, failure }
  }

  #countFailure(shoot: Shoot): void {
    const id = idOf(atOf(shoot))
    const of = JSON.stringify(this.#simulationOf(shoot).failure)
    const spent = this.#failures.get(id)
    this.#failures.set(id, { of, count: spent?.of === of ? spent.count + 1 : 1 })
  }

  async #projectOf(namespace: string): Promise<string> {
    const known = this.#projects.get(namespace)
    if (known !== undefined) return known
    const found = await this.#client.get(Namespace, { name: namespace })
    const project = found?.metadata.labels?.['project.gardener.cloud/name'] ?? namespace
    this.#projects.set(namespace, project)
    return project
  }

  async #take(shoot: Shoot, step: Step): Promise<void> {
    const { metadata } = shoot
    const at = atOf(shoot)
    switch (step.do) {
      case 'rest':
        return
      case 'schedule': {
        const merge = { metadata: { uid: metadata.uid }, spec: { seedName: LOCAL } }
        this.#shoots.wrote(await this.#client.patch(Shoot, at, { merge }, { subresource: 'binding' }))
        return
      }
      case 'addFinalizer':
        return await this.#applyFinalizers(shoot, [FINALIZER])
      case 'report':
        return await this.#report(shoot, step)
      case 'release':
        await withdrawAccess(this.#client, shoot)
        return await this.#applyFinalizers(shoot, [])
      default:
        return step satisfies never
    }
  }

  /** By server-side apply: the finalizers are a set, and those of others are not touched. */
  async #applyFinalizers(shoot: Shoot, finalizers: readonly string[]): Promise<void> {
    const at = atOf(shoot)
    const { apiVersion, kind, metadata } = shoot
    const { uid = '' } = metadata
    const draft = { apiVersion, kind, metadata: { ...at, uid, finalizers } } as Draft<Shoot>
    const written = await this.#client.apply(Shoot, draft)
    const { deletionTimestamp, finalizers: left = [] } = written.metadata
    if (deletionTimestamp !== undefined && left.length === 0) this.#shoots.deleted(at, uid)
    else this.#shoots.wrote(written)
  }

  async #report(shoot: Shoot, { status, publishes, operations, fails }: Report): Promise<void> {
    const at = atOf(shoot)
    const { uid } = shoot.metadata
    const addresses = publishes === true ? await this.#publish(shoot) : undefined
    const merge = { metadata: { uid }, status: { ...status, ...(addresses && { advertisedAddresses: addresses }) } }
    this.#shoots.wrote(await this.#client.patchStatus(Shoot, at, { merge }))
    if (fails === true) this.#countFailure(shoot)
    if (operations === undefined) return
    const annotations = { [OPERATION]: operations }
    this.#shoots.wrote(await this.#client.patch(Shoot, at, { merge: { metadata: { uid, annotations } } }))
  }

  async #publish(shoot: Shoot): Promise<ReadonlyArray<{ readonly name: string; readonly url: string }>> {
    const { server, ca } = await this.#options.endpointOf(shoot)
    await publishAccess(this.#client, shoot, ca, this.#options.signer)
    return [{ name: 'external', url: server }]
  }
}
