import {
  jittered,
  service,
  sleep,
  startAll,
  systemClock,
  type Clock,
  type Emitter,
  type LeaderElection,
  type Random,
  type Service,
  type Term,
} from '../../kernel/index.ts'
import type { Reader, WatchSource, Writer } from '../client/client.ts'
import {
  fenceOf,
  renewLease,
  LeaseObservations,
  takeLease,
  vacateLease,
  type LeaseAnswer,
  type LeaseRequest,
} from './record.ts'
import type { At } from '../objects.ts'
import { Lease } from '../types/coordination-v1.ts'

/*
 * The protocol
 *
 *   renewal sent ──────────── renewDeadlineMs ────────────▶ stop services ──── must be done ────▶ durationMs: others may take it
 *        └── retryMs ─▶ renewal sent ─▶ …
 *
 * A leader counts from the moment before a renewal was sent; a follower from the moment after it saw it. So the leader
 * is always the first to find its time over, whatever the clocks of the two machines say, as long as they run equally fast.
 */

export interface LeaderEvents {
  'leader:elected': { readonly lease: string; readonly identity: string; readonly term: number }
  'leader:lost': { readonly lease: string; readonly identity: string; readonly why: 'taken' | 'expired' }
  'leader:resigned': { readonly lease: string; readonly identity: string }
  /** A try to take or renew that failed; the next one follows. */
  'leader:unreachable': { readonly lease: string; readonly error: unknown }
}

export interface LeaderElectionOptions {
  readonly client: Reader & Writer & WatchSource
  readonly lease: Required<At>
  /** Of this process alone: two with the same identity would both lead. */
  readonly identity: string
  readonly term: Term
  /** How long followers wait for a leader that says nothing. @default 15_000 */
  readonly durationMs?: number
  /** When a leader that cannot renew gives up. The rest of `durationMs` is for stopping. @default 10_000 */
  readonly renewDeadlineMs?: number
  /** Between two tries. @default 2_000 */
  readonly retryMs?: number
  readonly clock?: Clock
  readonly random?: Random
  readonly emitter?: Emitter<LeaderEvents>
}

type TermEnd = { readonly why: 'over' | 'taken' | 'expired'; readonly lease: Lease; readonly since: number }

/** Leader election on a Lease of `coordination.k8s.io`. */
export function leaderElection(options: LeaderElectionOptions): LeaderElection {
  const { client, identity, emitter, durationMs = 15_000, renewDeadlineMs = 10_000, retryMs = 2_000 } = options
  const { clock = systemClock, random = Math.random } = options
  if (durationMs <= renewDeadlineMs) {
    throw new Error(
      `durationMs (${durationMs}) must be greater than renewDeadlineMs (${renewDeadlineMs}): the difference is the time to stop`,
    )
  }
  if (renewDeadlineMs <= retryMs * 1.2) {
    throw new Error(
      `renewDeadlineMs (${renewDeadlineMs}) must be greater than retryMs (${retryMs}) and its jitter, or one failure ends the term`,
    )
  }
  const name = `${options.lease.namespace}/${options.lease.name}`
  const parts = { client, clock, sightings: new LeaseObservations(clock) }
  const input: LeaseRequest = { at: options.lease, holder: identity, durationMs }
  let leading = false
  let leader: string | undefined
  let wakeUp = (): void => {}

  const unreachable = (error: unknown): undefined => {
    emitter?.emit('leader:unreachable', { lease: name, error })
    return undefined
  }

  /** Until its time is over or somebody says that the lease is free. */
  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const cancel = clock.after(ms, resolve)
      wakeUp = () => {
        cancel()
        resolve()
      }
    })

  /** Polling is what keeps the promise; the watch only makes the next leader begin at once. */
  const listen = async (signal: AbortSignal): Promise<void> => {
    const only = { namespace: options.lease.namespace, fields: `metadata.name=${options.lease.name}` }
    while (!signal.aborted) {
      try {
        for await (const event of client.watchEvents(Lease, only, signal)) {
          const vacant = event.type === 'DELETED' || (event.type === 'MODIFIED' && !event.object.spec?.holderIdentity)
          if (vacant && !leading) wakeUp()
        }
      } catch (error) {
        unreachable(error)
      }
      await sleep(clock, jittered(retryMs, random), signal).catch(() => {})
    }
  }

  const keepRenewing = async (first: Lease, firstSince: number, over: AbortSignal): Promise<TermEnd> => {
    let lease = first
    let since = firstSince
    while (!over.aborted) {
      const left = (): number => since + renewDeadlineMs - clock.now()
      await sleep(clock, Math.min(jittered(retryMs, random), Math.max(left(), 0)), over).catch(() => {})
      if (over.aborted) break
      if (left() <= 0) return { why: 'expired', lease, since }
      const before = clock.now()
      const limit = new AbortController()
      const cancel = clock.after(left(), () => limit.abort(new Error(`not renewed within ${renewDeadlineMs} ms`)))
      try {
        const renewed = await renewLease(parts, input, lease, limit.signal)
        if (renewed === undefined) return { why: 'taken', lease, since }
        lease = renewed
        since = before
      } catch (error) {
        unreachable(error)
      } finally {
        cancel()
      }
    }
    return { why: 'over', lease, since }
  }

  const lead = async (first: Lease, since: number, signal: AbortSignal): Promise<void> => {
    const over = new AbortController()
    const renewal = keepRenewing(first, since, over.signal)
    const services = options.term()
    const failure = startAll(services).then(
      () =>
        Promise.race(services.map(({ done }) => done)).then(
          () => new Error(`a service of ${name} ended by itself`),
          asError,
        ),
      asError,
    )
    leading = true
    emitter?.emit('leader:elected', { lease: name, identity, term: fenceOf(first) })

    const why = await Promise.race([renewal, failure, aborted(signal)])
    const stopped = stopAll(services)
    const end = await Promise.race([renewal, stopped])
    if (end !== undefined) {
      leading = false
      if (end.why !== 'over') emitter?.emit('leader:lost', { lease: name, identity, why: end.why })
      await inTime(stopped, end.since + durationMs)
    } else {
      // In good order: the lease is ours until the last service has stopped, and free the moment after.
      leading = false
      over.abort()
      const { lease } = await renewal
      await vacateLease(parts, input, lease).catch(unreachable)
      emitter?.emit('leader:resigned', { lease: name, identity })
    }
    if (why instanceof Error) throw why
  }

  /** Beyond that moment another process may lead; the only safe thing left is to end this one. */
  const inTime = async (stopped: Promise<void>, until: number): Promise<void> => {
    const late = Promise.withResolvers<never>()
    const cancel = clock.after(until - clock.now(), () =>
      late.reject(new Error(`failed to stop in time after losing ${name}: end this process, another one may lead now`)),
    )
    await Promise.race([stopped, late.promise]).finally(cancel)
  }

  /** Not cut short by a stop: a lease taken behind our back would keep the others waiting. */
  const contend = async (): Promise<LeaseAnswer | undefined> => {
    const limit = new AbortController()
    const cancel = clock.after(renewDeadlineMs, () => limit.abort(new Error(`no answer within ${renewDeadlineMs} ms`)))
    const answer = await takeLease(parts, input, limit.signal).catch(unreachable)
    cancel()
    return answer
  }

  const inner = service(`leader election ${name}`, async (signal, ready) => {
    const listening = new AbortController()
    signal.addEventListener('abort', () => wakeUp(), { once: true })
    const hints = listen(AbortSignal.any([signal, listening.signal]))
    try {
      while (!signal.aborted) {
        const since = clock.now()
        const answer = await contend()
        ready()
        if (answer !== undefined) leader = answer.held ? identity : answer.by
        if (answer?.held && signal.aborted) await vacateLease(parts, input, answer.lease).catch(unreachable)
        else if (answer?.held) await lead(answer.lease, since, signal)
        else if (!signal.aborted) await pause(jittered(retryMs, random))
      }
    } finally {
      listening.abort()
      await hints
    }
  })
  return {
    ...inner,
    get leading() {
      return leading
    },
    get leader() {
      return leader
    },
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

async function stopAll(services: readonly Service[]): Promise<void> {
  for (const running of services.toReversed()) await running.stop()
}
