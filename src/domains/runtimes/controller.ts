import {
  atEnd,
  controller,
  decisionLog,
  createEmitter,
  every,
  MemoryQueue,
  type Clock,
  type DecisionLog,
  type Emitter,
  type KernelEvents,
  type LeaderElection,
  type Queue,
  type Random,
  type Reconcile,
  type Service,
  type TargetLocks,
} from '../../kernel/index.ts'
import {
  eventRecorder,
  leaderElection,
  makeClient,
  type At,
  type LeaderElectionOptions,
  type LeaderEvents,
  type Transport,
  type WatchEvents,
} from '../../kube/index.ts'
import { apis, type Apis } from './watch/served-kinds.ts'
import { openCaches, openChildCache, requireWatches, type Caches } from './watch/caches.ts'
import { ClassRuntime } from './class-runtime.ts'
import type { RuntimesEvents } from './events.ts'
import { LocalState } from './watch/local-state.ts'
import { analyzer, type AnalyzerOptions } from './nfr/analyzer.ts'
import { runtimesReconcile, type ReconcilerDeps } from './reconciler.ts'
import type { RuntimesSettings } from './settings.ts'
import { MANAGER } from './types.ts'
import { wakeByChild, wakeRuntimes } from './watch/wakes.ts'

export type RuntimesControllerEvents = KernelEvents & WatchEvents & LeaderEvents & RuntimesEvents

export interface RuntimesControllerOptions {
  readonly transport: Transport
  readonly settings: RuntimesSettings
  readonly clock: Clock
  readonly random: Random
  /** This process, as people know it: the pod's name. */
  readonly instance: string
  /** The only namespaces to look at. Absent: all of them. */
  readonly namespaces?: readonly string[]
  /** Those that all domains use. Absent: nobody else works on the same targets. */
  readonly locks?: TargetLocks
  /** Only one process of all that name the same Lease reconciles; the others keep their caches warm. Absent: this one does. */
  readonly leader?: {
    readonly lease: Required<At>
    readonly timings?: Pick<LeaderElectionOptions, 'durationMs' | 'renewDeadlineMs' | 'retryMs'>
  }
  /** Where recommendations come from. Absent: nothing is recommended, and what somebody else recommends still counts. */
  readonly analyzer?: Pick<AnalyzerOptions, 'source' | 'intervalMs' | 'queries'>
  readonly emitter?: Emitter<RuntimesControllerEvents>
  readonly decisions?: DecisionLog
  /** @default one in memory: a restart lists the world and wakes it again */
  readonly queue?: Queue
  /** How many runtimes are reconciled at once. @default 16 */
  readonly concurrency?: number
  /** How long runs may go on after stop before they are cut off. @default 20_000 */
  readonly stopGraceMs?: number
  /** How often everything is looked at though nothing happened; costs no call while all is as wanted. @default 600_000 */
  readonly resyncMs?: number
  /** What a run does. @default the steps of this folder */
  readonly reconcile?: (deps: ReconcilerDeps) => Reconcile
}

export interface RuntimesController {
  /** To be started in this order. */
  readonly services: readonly Service[]
  readonly caches: Caches
  readonly apis: Apis
  /** Absent when there is no election. */
  readonly election?: LeaderElection
  /** Wakes every object, as the drift scan does. Returns how many. */
  resync(): Promise<number>
}

export function runtimesController(options: RuntimesControllerOptions): RuntimesController {
  const { transport, settings, clock, random, instance, leader, reconcile = runtimesReconcile } = options
  const { emitter = createEmitter<RuntimesControllerEvents>(), decisions = decisionLog() } = options
  const client = makeClient(transport, { fieldManager: MANAGER })
  const watching = { source: client, clock, random, emitter }
  const own = new MemoryQueue({ clock })
  const queue = options.queue ?? own
  const extent = options.namespaces === undefined ? {} : { namespaces: options.namespaces }
  requireWatches(transport, extent)
  const caches = openCaches(watching, extent)
  const memory = new LocalState(settings.nfr)
  memory.follow(caches.runtimes)
  wakeRuntimes({ caches, queue, clock })

  const resync = async (): Promise<number> => {
    const all = caches.runtimes.list()
    for (const { metadata } of all) {
      const key = { kind: ClassRuntime.kind, id: `${metadata.namespace}/${metadata.name}` }
      await queue.wake(key, {
        reason: 'drift',
        ...(metadata.namespace !== undefined && { tenant: metadata.namespace }),
      })
    }
    return all.length
  }

  const managed = apis({
    watching,
    clock,
    open: (kind) => openChildCache(watching, kind, extent),
    listen(kind, children) {
      return wakeByChild({ caches, queue, clock }, kind, children, () => managed.cacheOf('Deployment'))
    },
    // Another template may fit now. A wake that is lost here is made up for by the next scan for drift.
    onChange: () => void resync().catch(() => {}),
  })
  const events = eventRecorder({
    client,
    controller: MANAGER,
    instance,
    clock,
    onLost: (error) => emitter.emit('runtimes:eventLost', { error }),
  })
  const work = reconcile({
    client,
    caches,
    apis: managed,
    memory,
    clock,
    settings,
    events,
    emitter,
    ...(options.locks && { locking: { locks: options.locks, instance } }),
  })
  const loop = (): Service =>
    controller({
      name: 'runtimes',
      worker: instance,
      queue,
      reconcile: work,
      emitter,
      decisions,
      concurrency: options.concurrency ?? 16,
      clock,
      random,
      ...(options.stopGraceMs !== undefined && { stopGraceMs: options.stopGraceMs }),
    })

  const scan = (): Service =>
    every('drift scan of runtimes', options.resyncMs ?? 600_000, resync, { clock, waitsFirst: true })

  const working = (): Service[] => [
    loop(),
    scan(),
    ...(options.analyzer
      ? [analyzer({ ...options.analyzer, client, caches, clock, settings: settings.nfr, emitter })]
      : []),
  ]
  // Stopped after the loop, so that the events of the last runs are written.
  const flushing = atEnd('events of runtimes', () => events.flush().finally(() => own.close()))
  const warm = [managed, ...caches.services, flushing]
  if (leader === undefined) return { services: [...warm, ...working()], caches, apis: managed, resync }
  const election = leaderElection({
    client,
    lease: leader.lease,
    identity: instance,
    ...leader.timings,
    clock,
    random,
    emitter,
    term: working,
  })
  return { services: [...warm, election], caches, apis: managed, election, resync }
}
