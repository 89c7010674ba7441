import {
  atEnd,
  controller,
  every,
  MemoryQueue,
  type Clock,
  type ControllerOptions,
  type DecisionLog,
  type Emitter,
  type KernelEvents,
  type Key,
  type LeaderElection,
  type Queue,
  type Random,
  type Reconcile,
  type ReportGivenUp,
  type Service,
  type TargetLocks,
} from '../../kernel/index.ts'
import type { Cache } from '../cache/cache.ts'
import { itself } from '../cache/wake.ts'
import type { Client } from '../client/client.ts'
import { makeClient } from '../client/make-client.ts'
import { eventRecorder, type EventRecorder } from '../event-recorder.ts'
import { leaderElection, type LeaderEvents } from '../lease/election.ts'
import type { LeaderTimings } from '../lease/timings.ts'
import type { At, KubeObject, Resource } from '../objects.ts'
import type { Transport } from '../transport/transport.ts'
import { ledBy } from '../transport/wrap.ts'
import type { WatchEvents } from '../watch/events.ts'
import type { WatchDeps } from '../watch/watch.ts'

export type LedControllerEvents = KernelEvents & WatchEvents & LeaderEvents

export interface LedControllerOptions {
  /** Names the loop in events, metrics and decisions. */
  readonly name: string
  /** Of all writes, and the reporting controller of its Events. */
  readonly fieldManager: string
  readonly transport: Transport
  readonly clock: Clock
  readonly random: Random
  /** Identifies this process, unique among all that run: the pod's name. */
  readonly instance: string
  readonly emitter: Emitter<LedControllerEvents>
  readonly decisions: DecisionLog
  /**
   * Of all processes that name the same Lease one reconciles; the others keep their caches warm, and their writes are
   * refused with `NotLeading`. Absent: this process reconciles.
   */
  readonly leader?: { readonly lease: Required<At>; readonly timings?: LeaderTimings }
  /** Shared by all domains. Absent: no other domain changes the same objects. */
  readonly locks?: TargetLocks
  /** @default a queue in memory: after a restart the caches list all objects and wake them */
  readonly queue?: Queue
  /** The tenant of a key, for every wake. @default keys have no tenant */
  readonly tenant?: (key: Key) => string | undefined
  /** Concurrency, shares and times of the loop. @default those of the kernel's controller */
  readonly loop?: Pick<
    ControllerOptions,
    'concurrency' | 'perTenant' | 'pollMs' | 'timeoutMs' | 'abortGraceMs' | 'maxLapses' | 'stopGraceMs' | 'backoff'
  >
  /** How often every object is reconciled without a change. @default 600_000 */
  readonly resyncMs?: number
  /** Called with the failure of an Event that was not written. */
  readonly onEventLost?: (error: unknown) => void
}

/** What a controller builds its caches and reconcilers from. */
export interface ControllerParts {
  /** Its writes are refused with `NotLeading` while this process does not lead. */
  readonly client: Client
  /** For caches. */
  readonly watching: WatchDeps
  /** For `wakeOn`; adds the tenant of the key, and ignores wakes until this process leads. */
  readonly queue: Pick<Queue, 'wake'>
  readonly events: EventRecorder
  /** A process that does not lead takes none: its locks would keep the leader waiting. */
  readonly locks: TargetLocks | undefined
  /** Throws `NotLeading`. Call it before each effect outside of Kubernetes; `client` calls it for writes to Kubernetes. */
  readonly assertLeading: () => void
  /** Wakes every object of every kind, and returns their number. */
  readonly resync: () => Promise<number>
}

/** A kind whose objects are keys of the queue, as `itself(resource)` makes them. */
export interface ReconciledKind {
  readonly resource: Resource
  readonly cache: Pick<Cache<KubeObject>, 'list'>
  readonly reconcile: Reconcile
  /** Writes into the status of an object that its runs never end. */
  readonly reportGivenUp?: ReportGivenUp
}

export interface ControllerPlan {
  readonly kinds: readonly ReconciledKind[]
  /** Started in this order before the first run, whether or not this process leads. */
  readonly caches: readonly Service[]
  /** Called once per term: services beside the loop that only the leader runs. */
  readonly onLeading?: () => readonly Service[]
}

export interface LedController<P extends ControllerPlan> {
  /** Start them in this order. */
  readonly services: readonly Service[]
  readonly plan: P
  /** Absent without the option `leader`. */
  readonly election?: LeaderElection
  /** Wakes every object, as the drift scan does, and returns their number. */
  readonly resync: () => Promise<number>
}

/**
 * A controller of Kubernetes objects: caches, queue, loop, drift scan and event recorder, run by the elected leader.
 * It only composes services; how an object is reconciled is up to the functions that `plan` returns.
 */
export function ledController<P extends ControllerPlan>(
  options: LedControllerOptions,
  plan: (parts: ControllerParts) => P,
): LedController<P> {
  const { name, fieldManager, transport, clock, random, instance, emitter, decisions, leader, tenant } = options
  const election =
    leader &&
    leaderElection({
      client: makeClient(transport, { fieldManager }),
      lease: leader.lease,
      identity: instance,
      ...leader.timings,
      clock,
      random,
      emitter,
      term: () => {
        isWorking = true
        return working()
      },
    })
  /**
   * A process that stands by takes no wakes: no loop claims the keys, and they would outlive their objects. Its first
   * term begins with a scan of all objects instead.
   */
  let isWorking = leader === undefined
  const client = makeClient(election === undefined ? transport : ledBy(transport, election), { fieldManager })
  const events = eventRecorder({
    client,
    controller: fieldManager,
    instance,
    clock,
    ...(options.onEventLost && { onLost: options.onEventLost }),
  })
  const own = new MemoryQueue({ clock })
  const queue = options.queue ?? own
  const waking: Pick<Queue, 'wake'> = {
    async wake(key, how) {
      if (!isWorking) return
      const whose = tenant?.(key)
      await queue.wake(key, whose === undefined ? how : { ...how, tenant: whose })
    },
  }
  const resync = async (): Promise<number> => {
    const keys = made.kinds.flatMap(({ resource, cache }) => cache.list().flatMap(itself(resource).keys))
    for (const key of keys) await waking.wake(key, { reason: 'drift' })
    return keys.length
  }
  const made = plan({
    client,
    watching: { source: client, clock, random, emitter },
    queue: waking,
    events,
    locks: options.locks && ledLocks(options.locks, election),
    assertLeading: () => election?.assertLeading(),
    resync,
  })
  const working = (): readonly Service[] => [
    // Stopped after the loop: the events of the last runs are written while this process leads.
    atEnd(`events of ${name}`, () => events.flush()),
    controller({
      name,
      worker: instance,
      queue,
      ...byKind(made.kinds),
      emitter,
      decisions,
      clock,
      random,
      ...options.loop,
    }),
    every(`drift scan of ${name}`, options.resyncMs ?? 600_000, resync, { clock, waitsFirst: leader === undefined }),
    ...(made.onLeading?.() ?? []),
  ]
  const warm = [...made.caches, atEnd(`queue of ${name}`, () => own.close())]
  return election === undefined
    ? { plan: made, resync, services: [...warm, ...working()] }
    : { plan: made, resync, services: [...warm, election], election }
}

function byKind(kinds: readonly ReconciledKind[]): Pick<ControllerOptions, 'reconcile' | 'reportGivenUp'> {
  const all = new Map(kinds.map((one) => [one.resource.kind, one]))
  const of = ({ kind }: Key): ReconciledKind => {
    const found = all.get(kind)
    if (found === undefined) throw new Error(`this controller does not reconcile the kind ${kind}`)
    return found
  }
  return {
    reconcile: async (run) => await of(run.key).reconcile(run),
    reportGivenUp: async (run, failure) => await of(run.key).reportGivenUp?.(run, failure),
  }
}

const ledLocks = (locks: TargetLocks, election: LeaderElection | undefined): TargetLocks => ({
  holderOf: (target, signal) => locks.holderOf(target, signal),
  async acquire(target, request) {
    election?.assertLeading()
    return locks.acquire(target, request)
  },
})
