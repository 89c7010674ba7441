import {
  createEmitter,
  decisionLog,
  type Clock,
  type DecisionLog,
  type Emitter,
  type LeaderElection,
  type Queue,
  type Random,
  type Reconcile,
  type Service,
  type TargetLocks,
} from '../../kernel/index.ts'
import {
  keyAt,
  ledController,
  type LedControllerEvents,
  type LedControllerOptions,
  type Transport,
} from '../../kube/index.ts'
import { managedCaches, openCaches, requireWatches, type Caches, type ManagedCaches } from './watch/caches.ts'
import { ClassRuntime } from './class-runtime.ts'
import type { RuntimesEvents } from './events.ts'
import { reportGivenUp } from './given-up.ts'
import { LocalState } from './watch/local-state.ts'
import { analyzer, type AnalyzerOptions } from './nfr/analyzer.ts'
import { runtimesReconcile, type ReconcilerDeps } from './reconciler.ts'
import type { RuntimesSettings } from './settings.ts'
import { MANAGER } from './types.ts'
import { wakeByChild, wakeRuntimes } from './watch/wakes.ts'

export type RuntimesControllerEvents = LedControllerEvents & RuntimesEvents

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
  readonly leader?: NonNullable<LedControllerOptions['leader']>
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
  /** The longest that one reconcile may take. @default 600_000 */
  readonly timeoutMs?: number
  /** How often every runtime is reconciled without a change. Converged runtimes cost no request. @default 600_000 */
  readonly resyncMs?: number
  /** Reconciles one runtime. @default the steps of this folder */
  readonly reconcile?: (deps: ReconcilerDeps) => Reconcile
}

export interface RuntimesController {
  /** Start them in this order. */
  readonly services: readonly Service[]
  readonly caches: Caches
  readonly apis: ManagedCaches
  /** Absent without the option `leader`. */
  readonly election?: LeaderElection
  /** Wakes every runtime, as the drift scan does, and returns their number. */
  resync(): Promise<number>
}

export function runtimesController(options: RuntimesControllerOptions): RuntimesController {
  const { transport, settings, clock, instance, namespaces, reconcile = runtimesReconcile } = options
  const { emitter = createEmitter<RuntimesControllerEvents>(), decisions = decisionLog() } = options
  const scope = namespaces === undefined ? {} : { namespaces }
  requireWatches(transport, scope)
  const { services, election, resync, plan } = ledController(
    {
      ...options,
      name: 'runtimes',
      fieldManager: MANAGER,
      emitter,
      decisions,
      tenant: (key) => keyAt(key).namespace,
      loop: {
        concurrency: options.concurrency ?? 16,
        ...(options.stopGraceMs !== undefined && { stopGraceMs: options.stopGraceMs }),
        ...(options.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
      },
      onEventLost: (error) => emitter.emit('runtimes:eventLost', { error }),
    },
    (parts) => {
      const { client, watching, queue, events, locks } = parts
      const caches = openCaches(watching, scope)
      const memory = new LocalState(settings.nfr)
      memory.follow(caches.runtimes)
      wakeRuntimes({ caches, queue, clock })
      const managed: ManagedCaches = managedCaches(watching, scope, {
        listen(kind, children) {
          return wakeByChild({ caches, queue, clock }, kind, children, () => managed.cacheOf('Deployment'))
        },
        // Another template may fit now. The next drift scan makes up for a wake that is lost here.
        onChange: () => void parts.resync().catch(() => {}),
      })
      const deps: ReconcilerDeps = {
        client,
        caches,
        apis: managed,
        memory,
        clock,
        settings,
        events,
        emitter,
        ...(locks && { locking: { locks, instance } }),
      }
      const analyzed = options.analyzer
      return {
        kinds: [
          {
            resource: ClassRuntime,
            cache: caches.runtimes,
            reconcile: reconcile(deps),
            reportGivenUp: reportGivenUp(deps),
          },
        ],
        caches: [managed, ...caches.services],
        onLeading: () =>
          analyzed ? [analyzer({ ...analyzed, client, caches, clock, settings: settings.nfr, emitter })] : [],
        watched: { caches, apis: managed },
      }
    },
  )
  return { services, ...plan.watched, resync, ...(election && { election }) }
}
