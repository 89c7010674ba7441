import {
  aborted,
  atEnd,
  controller,
  decisionLog,
  createEmitter,
  every,
  MemoryQueue,
  service,
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
  ledBy,
  makeClient,
  type At,
  type LeaderEvents,
  type LeaderTimings,
  type Transport,
  type WatchEvents,
} from '../../kube/index.ts'
import { apis, type Apis } from './watch/served-kinds.ts'
import { openCaches, openChildCache, requireWatches, type Caches } from './watch/caches.ts'
import { ClassRuntime } from './class-runtime.ts'
import type { RuntimesEvents } from './events.ts'
import { reportGivenUp } from './given-up.ts'
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
  /** Identifies this process, unique among all that run: the pod's name. */
  readonly instance: string
  /** The namespaces to reconcile. Absent: all of them. */
  readonly namespaces?: readonly string[]
  /** Shared by all domains. Absent: no other domain changes the same workloads. */
  readonly locks?: TargetLocks
  /**
   * Of all processes that name the same Lease one reconciles, and writes are refused with `NotLeading` in the others, which
   * keep their caches warm. Absent: this process reconciles.
   */
  readonly leader?: { readonly lease: Required<At>; readonly timings?: LeaderTimings }
  /** The source of recommendations. Absent: this controller makes none, and enforces those that others write. */
  readonly analyzer?: Pick<AnalyzerOptions, 'source' | 'intervalMs' | 'queries'>
  readonly emitter?: Emitter<RuntimesControllerEvents>
  readonly decisions?: DecisionLog
  /** @default a queue in memory: after a restart the caches list all objects and wake them */
  readonly queue?: Queue
  /** How many runtimes are reconciled at once. @default 16 */
  readonly concurrency?: number
  /** How long runs may go on after a regular stop before they are aborted. @default 20_000 */
  readonly stopGraceMs?: number
  /** How often every runtime is reconciled without a change. Converged runtimes cost no request. @default 600_000 */
  readonly resyncMs?: number
  /** Reconciles one runtime. @default the steps of this folder */
  readonly reconcile?: (deps: ReconcilerDeps) => Reconcile
}

export interface RuntimesController {
  /** Start them in this order. */
  readonly services: readonly Service[]
  readonly caches: Caches
  readonly apis: Apis
  /** Absent without the option `leader`. */
  readonly election?: LeaderElection
  /** Wakes every runtime, as the drift scan does, and returns their number. */
  resync(): Promise<number>
}

export function runtimesController(options: RuntimesControllerOptions): RuntimesController {
  const { transport, settings, clock, random, instance, leader, reconcile = runtimesReconcile } = options
  const { emitter = createEmitter<RuntimesControllerEvents>(), decisions = decisionLog() } = options
  const election =
    leader &&
    leaderElection({
      client: makeClient(transport, { fieldManager: MANAGER }),
      lease: leader.lease,
      identity: instance,
      ...leader.timings,
      clock,
      random,
      emitter,
      term: () => working(),
    })
  const client = makeClient(election === undefined ? transport : ledBy(transport, election), { fieldManager: MANAGER })
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
    // Another template may fit now. The next drift scan makes up for a wake that is lost here.
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
    ...(options.locks && { locking: { locks: ledLocks(options.locks, election), instance } }),
  })
  const loop = (): Service =>
    controller({
      name: 'runtimes',
      worker: instance,
      queue,
      reconcile: work,
      reportGivenUp: reportGivenUp({ client, caches, clock, events }),
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
    // Started before the loop and so stopped after it: the events of the last runs are written while this process leads.
    flushing(() => events.flush()),
    loop(),
    scan(),
    ...(options.analyzer
      ? [analyzer({ ...options.analyzer, client, caches, clock, settings: settings.nfr, emitter })]
      : []),
  ]
  const warm = [managed, ...caches.services, atEnd('queue of runtimes', () => own.close())]
  const parts = { caches, apis: managed, resync }
  return election === undefined
    ? { ...parts, services: [...warm, ...working()] }
    : { ...parts, services: [...warm, election], election }
}

/** A process that does not lead takes no locks: they would keep the leader waiting. */
const ledLocks = (locks: TargetLocks, election: LeaderElection | undefined): TargetLocks => ({
  holderOf: (target, signal) => locks.holderOf(target, signal),
  async acquire(target, request) {
    election?.assertLeading()
    return locks.acquire(target, request)
  },
})

/** Writes outstanding events when it stops, unless it has to stop at once. */
const flushing = (flush: () => Promise<void>): Service =>
  service('events of runtimes', async (signal, ready, atOnce) => {
    ready()
    await aborted(signal)
    await Promise.race([flush().catch(() => {}), aborted(atOnce)])
  })
