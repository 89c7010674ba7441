import {
  createEmitter,
  decisionLog,
  type Clock,
  type DecisionLog,
  type Emitter,
  type Queue,
  type Random,
  type Reconcile,
} from '../../src/kernel/index.ts'
import {
  cache,
  ConfigMap,
  controllerOf,
  itself,
  keyAt,
  ledController,
  specChanged,
  wakeOn,
  type Client,
  type LedController,
  type LedControllerEvents,
  type LedControllerOptions,
  type Transport,
} from '../../src/kube/index.ts'
import { act } from './act.ts'
import { decide, LABEL } from './decide.ts'
import { Echo } from './echo.ts'
import { type Caches, observe } from './observe.ts'
import { record } from './record.ts'

export interface EchoControllerOptions {
  readonly transport: Transport
  readonly clock: Clock
  readonly random: Random
  /** Identifies this process, unique among all that run: the pod's name. */
  readonly instance: string
  /** @default 4 */
  readonly concurrency?: number
  /** Of all processes that name the same Lease one reconciles and writes. Absent: this process does. */
  readonly leader?: NonNullable<LedControllerOptions['leader']>
  readonly emitter?: Emitter<LedControllerEvents>
  readonly decisions?: DecisionLog
  /** @default a queue in memory: after a restart the caches list all objects and wake them */
  readonly queue?: Queue
  /** How often every Echo is reconciled without a change. @default 600_000 */
  readonly resyncMs?: number
  /** Reconciles one Echo. @default the four steps of this folder */
  readonly reconcile?: (client: Client, caches: Caches, clock: Clock) => Reconcile
}

export type EchoController = Omit<LedController<never>, 'plan'>

/** One run: observe, decide, act, record. */
export const echoReconcile =
  (client: Client, caches: Caches, clock: Clock): Reconcile =>
  async ({ key, signal, decided }) => {
    const seen = observe(caches, keyAt(key))
    const now = clock.now()
    const decision = decide(seen, now)
    // A pass that changes nothing is not recorded.
    if (decision.child !== undefined || decision.status !== undefined) decided({ input: seen, decision, at: now })
    await act(client, caches, decision, signal)
    return record(client, caches, seen, decision, signal)
  }

export function echoController(options: EchoControllerOptions): EchoController {
  const { clock, concurrency, reconcile = echoReconcile, ...led } = options
  const { emitter = createEmitter<LedControllerEvents>(), decisions = decisionLog() } = options
  const loop = concurrency === undefined ? {} : { concurrency }
  return ledController(
    { ...led, name: 'echo', fieldManager: 'echo', clock, emitter, decisions, loop },
    ({ client, watching, queue }) => {
      const caches: Caches = {
        echoes: cache(watching, { resource: Echo }),
        children: cache(watching, { resource: ConfigMap, where: { labels: LABEL } }),
      }
      wakeOn(caches.echoes, queue, itself(Echo), { clock, worth: specChanged, ignoreOwnWrites: true })
      wakeOn(caches.children, queue, controllerOf(Echo), { clock, ignoreOwnWrites: true })
      return {
        caches: [caches.children, caches.echoes],
        kinds: [{ resource: Echo, cache: caches.echoes, reconcile: reconcile(client, caches, clock) }],
      }
    },
  )
}
