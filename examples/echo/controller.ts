import {
  type Clock,
  controller,
  decisionLog,
  type DecisionLog,
  createEmitter,
  type Emitter,
  type KernelEvents,
  type Key,
  MemoryQueue,
  type Queue,
  type Random,
  type Reconcile,
  type Service,
} from '../../src/kernel/index.ts'
import {
  cache,
  type Client,
  ConfigMap,
  controllerOf,
  itself,
  makeClient,
  specChanged,
  type Transport,
  wakeOn,
  type WatchEvents,
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
  /** @default 4 */
  readonly concurrency?: number
  readonly emitter?: Emitter<KernelEvents & WatchEvents>
  readonly decisions?: DecisionLog
  /** @default one in memory: a restart lists the world and wakes it again */
  readonly queue?: Queue
  /** What a run does. @default the four steps of this folder */
  readonly reconcile?: (client: Client, caches: Caches, clock: Clock) => Reconcile
}

export interface EchoController {
  /** To be started in this order. */
  readonly services: readonly Service[]
  /** Wakes every object, as the drift scan does. Returns how many. */
  resync(): Promise<number>
}

const keyOf = ({ id }: Key): { readonly namespace: string; readonly name: string } => {
  const [namespace = '', name = ''] = id.split('/')
  return { namespace, name }
}

/** Observe, decide, act, record: the only place where the four meet. */
export const echoReconcile =
  (client: Client, caches: Caches, clock: Clock): Reconcile =>
  async ({ key, signal, decided }) => {
    const seen = observe(caches, keyOf(key))
    const now = clock.now()
    const decision = decide(seen, now)
    decided(seen, decision, now)
    await act(client, caches, decision, signal)
    return record(client, caches, seen, decision, signal)
  }

export function echoController(options: EchoControllerOptions): EchoController {
  const { transport, clock, random, reconcile = echoReconcile } = options
  const { emitter: told = createEmitter<KernelEvents & WatchEvents>() } = options
  const client = makeClient(transport, { fieldManager: 'echo' })
  const watching = { source: client, clock, random, emitter: told }
  const caches: Caches = {
    echoes: cache(watching, { resource: Echo }),
    children: cache(watching, { resource: ConfigMap, where: { labels: LABEL } }),
  }
  const queue = options.queue ?? new MemoryQueue({ clock })
  wakeOn(caches.echoes, queue, itself(Echo), { clock, worth: specChanged, ignoreOwnWrites: true })
  wakeOn(caches.children, queue, controllerOf(Echo), { clock, ignoreOwnWrites: true })
  const loop = controller({
    name: 'echo',
    queue,
    clock,
    random,
    emitter: told,
    decisions: options.decisions ?? decisionLog(),
    reconcile: reconcile(client, caches, clock),
    ...(options.concurrency !== undefined && { concurrency: options.concurrency }),
  })
  return {
    services: [caches.children, caches.echoes, loop],
    async resync() {
      const all = caches.echoes.list()
      for (const { metadata } of all) {
        await queue.wake({ kind: Echo.kind, id: `${metadata.namespace}/${metadata.name}` }, { reason: 'drift' })
      }
      return all.length
    },
  }
}
