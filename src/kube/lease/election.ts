import {
  aborted,
  elapsedSince,
  instantOf,
  jittered,
  notLeading,
  service,
  sleep,
  systemClock,
  type Clock,
  type Emitter,
  type Instant,
  type LeaderElection,
  type Random,
  type Service,
  type Term,
} from '../../kernel/index.ts'
import type { Reader, WatchSource, Writer } from '../client/client.ts'
import type { At } from '../objects.ts'
import { Lease } from '../types/coordination-v1.ts'
import { LeaseObservations } from './observations.ts'
import { firstFailure, stopInOrder } from './term.ts'
import { checkTimings, type LeaderTimings } from './timings.ts'
import {
  renewLease,
  takeLease,
  transitionsOf,
  vacateLease,
  type LeaseAnswer,
  type LeaseParts,
  type LeaseRequest,
} from './record.ts'

/*
 * The protocol
 *
 *   renewal sent ── renewDeadlineMs: leading ──▶ stop services ── must be done ──▶ durationMs: others may take it
 *        └── retryMs ─▶ renewal sent ─▶ …
 *
 * A leader counts from the moment before it sent a confirmed renewal, a follower from the moment after it read it. So the
 * leader's time ends first, whatever the clocks of the two machines show, as long as they run equally fast.
 */

export interface LeaderEvents {
  /** `term` grows with every acquisition of the Lease, also by the same identity. */
  'leader:elected': { readonly lease: string; readonly identity: string; readonly term: number }
  'leader:lost': { readonly lease: string; readonly identity: string; readonly why: 'taken' | 'expired' }
  'leader:resigned': { readonly lease: string; readonly identity: string }
  /** An attempt to take or renew the Lease failed; the next attempt follows. */
  'leader:unreachable': { readonly lease: string; readonly error: unknown }
}

export interface LeaderElectionOptions extends LeaderTimings {
  readonly client: Reader & Writer & WatchSource
  readonly lease: Required<At>
  /** Unique per process: a second process with the same identity takes the Lease over at once. */
  readonly identity: string
  readonly term: Term
  readonly clock?: Clock
  readonly random?: Random
  readonly emitter?: Emitter<LeaderEvents>
}

/** Leader election on a Lease of `coordination.k8s.io`. */
export function leaderElection(options: LeaderElectionOptions): LeaderElection {
  const election = new Election(options)
  const inner = service(`leader election ${election.name}`, (signal, ready, atOnce) =>
    election.run(signal, ready, atOnce),
  )
  const done = Promise.race([inner.done, election.failed])
  done.catch(() => {})
  return {
    ...inner,
    done,
    get leading() {
      return election.leading
    },
    get leader() {
      return election.leader
    },
    assertLeading: () => election.assertLeading(),
  }
}

/** An acquisition and the moment before its last confirmed request was sent. */
interface Proof {
  readonly lease: Lease
  readonly since: Instant
}

type Loss = LeaderEvents['leader:lost']['why']

class Election {
  readonly name: string
  leader: string | undefined
  readonly #options: LeaderElectionOptions & Required<LeaderTimings>
  readonly #clock: Clock
  readonly #random: Random
  readonly #parts: LeaseParts
  readonly #request: LeaseRequest
  /** Of the current term. */
  #proof: Proof | undefined
  #endPause = (): void => {}
  readonly #failure = Promise.withResolvers<never>()

  constructor(options: LeaderElectionOptions) {
    const { lease, identity, client, clock = systemClock, random = Math.random } = options
    this.#options = { durationMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000, ...options }
    checkTimings(this.#options)
    this.name = `${lease.namespace}/${lease.name}`
    this.#clock = clock
    this.#random = random
    this.#parts = { client, clock, observations: new LeaseObservations(clock) }
    this.#request = { at: lease, holder: identity, durationMs: this.#options.durationMs }
    this.#failure.promise.catch(() => {})
  }

  /** Rejects when services did not stop in time, also if that happens during a regular stop. */
  get failed(): Promise<never> {
    return this.#failure.promise
  }

  get leading(): boolean {
    return this.#proof !== undefined && this.#leftMs(this.#proof) > 0
  }

  assertLeading(): void {
    if (this.leading) return
    const why =
      this.#proof === undefined
        ? `the leader is ${this.leader ?? 'unknown'}`
        : `no renewal was confirmed for ${this.#options.renewDeadlineMs} ms`
    throw notLeading(`this process does not hold the lease ${this.name}: ${why}`)
  }

  async run(signal: AbortSignal, ready: () => void, atOnce: AbortSignal): Promise<void> {
    const listening = new AbortController()
    signal.addEventListener('abort', () => this.#endPause(), { once: true })
    const hints = this.#listen(AbortSignal.any([signal, listening.signal]))
    try {
      while (!signal.aborted) {
        const since = instantOf(this.#clock)
        const answer = await this.#contend()
        ready()
        if (answer !== undefined) this.leader = answer.held ? this.#options.identity : answer.by
        if (answer?.held) await this.#lead({ lease: answer.lease, since }, signal, atOnce)
        else if (!signal.aborted) await this.#pause(jittered(this.#options.retryMs, this.#random))
      }
    } finally {
      listening.abort()
      await hints
    }
  }

  /** Not cut short by a stop: a Lease that was taken without our knowledge would keep the others waiting. */
  async #contend(): Promise<LeaseAnswer | undefined> {
    return this.#within(this.#attemptMs, (signal) => takeLease(this.#parts, this.#request, signal))
  }

  async #lead(proof: Proof, signal: AbortSignal, atOnce: AbortSignal): Promise<void> {
    if (signal.aborted) return this.#vacate(proof.lease)
    if (this.#leftMs(proof) <= 0) return this.#unreachable(new Error('the lease was acquired too late to lead with it'))
    this.#proof = proof
    const services = await this.#begin(proof)
    const [ending, renewing] = [new AbortController(), new AbortController()]
    const renewal = this.#keepRenewing(renewing.signal)
    const failure = firstFailure(services, ending.signal)
    this.#emit('leader:elected', { term: transitionsOf(proof.lease) })

    const why = await Promise.race([renewal, failure, aborted(signal)])
    ending.abort()
    const end = typeof why === 'string' ? why : await Promise.race([renewal, stopInOrder(services, atOnce)])
    renewing.abort()
    if (end === 'taken' || end === 'expired') await this.#lose(end, services)
    else await this.#resign(renewal)
    if (why instanceof Error) throw why
  }

  /** A term that cannot be built gives the Lease back and ends the election. */
  async #begin({ lease }: Proof): Promise<readonly Service[]> {
    try {
      return this.#options.term()
    } catch (error) {
      this.#proof = undefined
      await this.#vacate(lease)
      throw new Error(`failed to begin a term of ${this.name}`, { cause: error })
    }
  }

  /** The pause counts from the last attempt, so one without an answer is repeated at once. */
  async #keepRenewing(over: AbortSignal): Promise<Loss | 'over'> {
    let asked = this.#proof?.since
    for (;;) {
      const proof = this.#proof
      if (proof === undefined || asked === undefined || over.aborted) return 'over'
      const pauseMs = jittered(this.#options.retryMs, this.#random) - elapsedSince(this.#clock, asked)
      await sleep(this.#clock, Math.max(Math.min(pauseMs, this.#leftMs(proof)), 0), over).catch(() => {})
      if (over.aborted) return 'over'
      if (this.#leftMs(proof) <= 0) return 'expired'
      const since = (asked = instantOf(this.#clock))
      const renewed = await this.#within(Math.min(this.#leftMs(proof), this.#attemptMs), async (signal) => ({
        lease: await renewLease(this.#parts, this.#request, proof.lease, signal),
      }))
      if (renewed === undefined) continue
      if (renewed.lease === undefined) return 'taken'
      this.#proof = { lease: renewed.lease, since }
    }
  }

  /** The Lease is ours until the last service has stopped, and free right after. */
  async #resign(renewal: Promise<unknown>): Promise<void> {
    await renewal
    const { lease } = this.#proof ?? {}
    this.#proof = undefined
    this.leader = undefined
    if (lease !== undefined) await this.#vacate(lease)
    this.#emit('leader:resigned', {})
  }

  /** Another process may lead soon: work under way is aborted. If services still do not stop, the process has to end. */
  async #lose(why: Loss, services: readonly Service[]): Promise<void> {
    this.#proof = undefined
    this.leader = undefined
    this.#emit('leader:lost', { why })
    const graceMs = this.#options.durationMs - this.#options.renewDeadlineMs
    const late = Promise.withResolvers<never>()
    const cancel = this.#clock.after(graceMs, () => {
      const error = new Error(
        `services of ${this.name} did not stop within ${graceMs} ms after the lead was lost: end this process, another may lead now`,
      )
      this.#failure.reject(new Error(`leader election ${this.name} ended unexpectedly`, { cause: error }))
      late.reject(error)
    })
    const stopped = Promise.all(services.map((one) => one.stop({ atOnce: true })))
    await Promise.race([stopped, late.promise]).finally(cancel)
  }

  async #vacate(lease: Lease): Promise<void> {
    await this.#within(this.#attemptMs, (signal) => vacateLease(this.#parts, this.#request, lease, signal))
  }

  /** One request that is never answered must not cost the lead: there is time for another attempt. */
  get #attemptMs(): number {
    return this.#options.durationMs / 4
  }

  /** How long we may still lead on this proof. */
  #leftMs({ since }: Proof): number {
    return this.#options.renewDeadlineMs - elapsedSince(this.#clock, since)
  }

  /** `undefined`: it failed or was not answered in time. */
  async #within<T>(ms: number, call: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    const limit = new AbortController()
    const cancel = this.#clock.after(ms, () => limit.abort(new Error(`no answer within ${ms} ms`)))
    try {
      return await call(limit.signal)
    } catch (error) {
      this.#unreachable(error)
      return undefined
    } finally {
      cancel()
    }
  }

  /** Polling alone is enough for correctness; the watch lets the next leader begin without waiting for the next poll. */
  async #listen(signal: AbortSignal): Promise<void> {
    const { client, lease, retryMs } = this.#options
    const only = { namespace: lease.namespace, fields: `metadata.name=${lease.name}` }
    while (!signal.aborted) {
      try {
        for await (const event of client.watchEvents(Lease, only, signal)) {
          const isVacant = event.type === 'DELETED' || (event.type === 'MODIFIED' && !event.object.spec?.holderIdentity)
          if (isVacant) this.#endPause()
        }
      } catch (error) {
        this.#unreachable(error)
      }
      await sleep(this.#clock, jittered(retryMs, this.#random), signal).catch(() => {})
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(ms, resolve)
      this.#endPause = () => {
        cancel()
        resolve()
      }
    })
  }

  #unreachable(error: unknown): void {
    this.#options.emitter?.emit('leader:unreachable', { lease: this.name, error })
  }

  #emit<N extends 'leader:elected' | 'leader:lost' | 'leader:resigned'>(
    name: N,
    what: Omit<LeaderEvents[N], 'lease' | 'identity'>,
  ): void {
    const { emitter, identity } = this.#options
    emitter?.emit(name, { lease: this.name, identity, ...what } as LeaderEvents[N])
  }
}
