import {
  type Clock,
  controller,
  decisionLog,
  type DecisionLog,
  createEmitter,
  type Emitter,
  type KernelEvents,
  type Key,
  type LeaderElection,
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
  leaderElection,
  type LeaderElectionOptions,
  ledBy,
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
  /** Of all processes that name the same Lease one reconciles and writes. Absent: this process does. */
  readonly leader?: Omit<LeaderElectionOptions, 'client' | 'term' | 'clock' | 'random'>
  readonly emitter?: Emitter<KernelEvents & WatchEvents>
  readonly decisions?: DecisionLog
  /** @default a queue in memory: after a restart the caches list all objects and wake them */
  readonly queue?: Queue
  /** Reconciles one Echo. @default the four steps of this folder */
  readonly reconcile?: (client: Client, caches: Caches, clock: Clock) => Reconcile
}

export interface EchoController {
  /** Start them in this order. */
  readonly services: readonly Service[]
  /** Absent without the option `leader`. */
  readonly election?: LeaderElection
  /** Wakes every Echo, as the drift scan does, and returns their number. */
  resync(): Promise<number>
}

const keyOf = ({ id }: Key): { readonly namespace: string; readonly name: string } => {
  const [namespace = '', name = ''] = id.split('/')
  return { namespace, name }
}

/** One run: observe, decide, act, record. */
export const echoReconcile =
  (client: Client, caches: Caches, clock: Clock): Reconcile =>
  async ({ key, signal, decided }) => {
    const seen = observe(caches, keyOf(key))
    const now = clock.now()
    const decision = decide(seen, now)
    // A pass that changes nothing is not recorded.
    if (decision.child !== undefined || decision.status !== undefined) decided({ input: seen, decision, at: now })
    await act(client, caches, decision, signal)
    return record(client, caches, seen, decision, signal)
  }

export function echoController(options: EchoControllerOptions): EchoController {
  const { transport, clock, random, leader, reconcile = echoReconcile } = options
  const { emitter = createEmitter<KernelEvents & WatchEvents>() } = options
  const fieldManager = 'echo'
  const election =
    leader &&
    leaderElection({
      client: makeClient(transport, { fieldManager }),
      ...leader,
      clock,
      random,
      term: () => [loop()],
    })
  const client = makeClient(election === undefined ? transport : ledBy(transport, election), { fieldManager })
  const watching = { source: client, clock, random, emitter }
  const caches: Caches = {
    echoes: cache(watching, { resource: Echo }),
    children: cache(watching, { resource: ConfigMap, where: { labels: LABEL } }),
  }
  const queue = options.queue ?? new MemoryQueue({ clock })
  wakeOn(caches.echoes, queue, itself(Echo), { clock, worth: specChanged, ignoreOwnWrites: true })
  wakeOn(caches.children, queue, controllerOf(Echo), { clock, ignoreOwnWrites: true })
  const loop = (): Service =>
    controller({
      name: 'echo',
      queue,
      clock,
      random,
      emitter,
      decisions: options.decisions ?? decisionLog(),
      reconcile: reconcile(client, caches, clock),
      ...(options.concurrency !== undefined && { concurrency: options.concurrency }),
    })
  return {
    services: [caches.children, caches.echoes, election ?? loop()],
    ...(election && { election }),
    async resync() {
      const all = caches.echoes.list()
      for (const { metadata } of all) {
        await queue.wake({ kind: Echo.kind, id: `${metadata.namespace}/${metadata.name}` }, { reason: 'drift' })
      }
      return all.length
    },
  }
}
