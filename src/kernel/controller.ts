import { delayFor, jittered, type Backoff } from './backoff.ts'
import { sleep, systemClock, type Clock } from './clock.ts'
import { shownWhenRead, type DecisionLog } from './decisions.ts'
import { failureOf, raise, retryAfterOf } from './errors.ts'
import type { Emitter, KernelEvents } from './emitter.ts'
import { keyText, type Key } from './key.ts'
import { Waiting, type Outcome } from './outcome.ts'
import type { Claim, Finish, Queue, Share } from './queue/queue.ts'
import type { Random } from './random.ts'
import { service, type Service } from './service.ts'

/** One run of one key: what a reconciler gets to know. Not why it was woken: it has to look for itself. */
export interface Run {
  readonly key: Key
  readonly attempt: number
  /** Goes with every effect, so that a worker whose lease has passed on can change nothing. */
  readonly fence: number
  /** Aborted when the lease is lost, the time is up, or the process stops and its grace is over. */
  readonly signal: AbortSignal
  /** Keeps what was decided and from what, for explain and replay. What must not be read as it is, `shown` makes a copy of. */
  readonly decided: (input: unknown, decision: unknown, at: number, shown?: (value: unknown) => unknown) => void
}

export type Reconcile = (run: Run) => Promise<Outcome>

export interface ControllerOptions {
  readonly name: string
  readonly queue: Queue
  readonly reconcile: Reconcile
  readonly emitter: Emitter<KernelEvents>
  readonly decisions: DecisionLog
  /** Told to the queue with every claim, for people who ask who holds a key. @default name */
  readonly worker?: string
  /** How many keys run at once. @default 4 */
  readonly concurrency?: number
  /** The most keys of one claim; with more free places than that, some runs finish while others are claimed. @default 100 */
  readonly claimAtMost?: number
  /** How many of them may belong to one tenant, so that its slow keys never occupy every place. @default concurrency - 1, at least 1 */
  readonly perTenant?: number
  /** How often to ask the queue when it gives no hint. @default 2_000 */
  readonly pollMs?: number
  /** The longest one run may take. @default 600_000 */
  readonly timeoutMs?: number
  /** How long runs may go on after stop before they are aborted. @default 20_000 */
  readonly stopGraceMs?: number
  /** @default 1 s doubling to 5 min, without end */
  readonly backoff?: Backoff
  readonly clock?: Clock
  readonly random?: Random
}

/** How long to wait before asking an unreachable queue again: 100 ms doubling to 2 s. */
const UNREACHABLE: Backoff = { baseMs: 100, capMs: 2_000 }

interface Running {
  readonly claim: Claim
  readonly abort: AbortController
  /** When the lease was last known to be ours, by our clock, taken before the question was sent. */
  leasedAt: number
  lost: boolean
  done: Promise<void>
}

/**
 * The loop: claim → reconcile → settle, wait, retry or give up.
 *
 * - A key never runs twice at the same time; the queue sees to that, and the fence makes it true for effects.
 * - Waiting costs no attempt; an error that is not retryable, or one too many, parks the key until someone wakes it.
 * - An unreachable queue stops nothing that runs: finishing is tried again for as long as the lease can be ours.
 * - Stopping claims no more, lets runs finish, then aborts them and hands their keys back.
 */
export function controller(options: ControllerOptions): Service {
  const loop = new Loop(options)
  return service(options.name, (signal, ready, atOnce) => loop.run(signal, ready, atOnce))
}

class Loop {
  readonly #options: Required<ControllerOptions>
  readonly #running = new Set<Running>()
  readonly #runningByTenant = new Map<string, number>()
  readonly #bell: Wakeup
  /** The last claim may have left keys behind, for want of a place or of a tenant's share: the end of any run is the cue to ask again. */
  #mayBeMore = false
  #renewing = false
  #stopping = false

  constructor(options: ControllerOptions) {
    const concurrency = options.concurrency ?? 4
    this.#options = {
      worker: options.name,
      concurrency,
      claimAtMost: 100,
      perTenant: Math.max(1, concurrency - 1),
      pollMs: 2_000,
      timeoutMs: 600_000,
      stopGraceMs: 20_000,
      backoff: { baseMs: 1_000, capMs: 300_000 },
      clock: systemClock,
      random: Math.random,
      ...options,
    }
    this.#bell = new Wakeup(this.#options.clock)
  }

  async run(signal: AbortSignal, ready: () => void, atOnce: AbortSignal): Promise<void> {
    const { queue } = this.#options
    const unsubscribe = queue.onReady(() => this.#bell.ring())
    const stopHeartbeat = this.#startHeartbeat()
    signal.addEventListener('abort', () => this.#bell.ring(), { once: true })
    ready()
    try {
      await this.#claimUntil(signal)
      this.#stopping = true
      await this.#drain(atOnce)
    } finally {
      stopHeartbeat()
      unsubscribe()
    }
  }

  async #claimUntil(signal: AbortSignal): Promise<void> {
    const { concurrency, claimAtMost, pollMs } = this.#options
    let failures = 0
    while (!signal.aborted) {
      this.#bell.silence()
      const free = Math.min(concurrency - this.#running.size, claimAtMost)
      const running = new Map(this.#runningByTenant)
      const claims = free > 0 ? await this.#claim(free, running) : []
      if (claims === undefined) {
        await this.#pause(delayFor(++failures, UNREACHABLE), signal)
        continue
      }
      failures = 0
      if (signal.aborted) {
        await Promise.all(
          claims.map((claim) => this.#options.queue.finish(claim, { then: 'handBack' }).catch(() => {})),
        )
        return
      }
      for (const claim of claims) this.#begin(claim)
      const tookAll = claims.length === free
      this.#mayBeMore = tookAll || this.#hasSpentAShare(running, claims)
      if (!(tookAll && this.#running.size < concurrency)) await this.#bell.wait(pollMs)
    }
  }

  async #claim(limit: number, running: Share['running']): Promise<readonly Claim[] | undefined> {
    const { name, queue, worker, perTenant } = this.#options
    const share: Share = { perTenant, running }
    try {
      return await queue.claim(worker, limit, share)
    } catch (error) {
      this.#options.emitter.emit('queue:unreachable', { controller: name, doing: 'claim', error })
      return undefined
    }
  }

  /** By what was running when the queue was asked: runs that ended meanwhile do not tell what it would have given. */
  #hasSpentAShare(running: Map<string, number>, claims: readonly Claim[]): boolean {
    for (const { tenant } of claims) if (tenant !== undefined) running.set(tenant, (running.get(tenant) ?? 0) + 1)
    return [...running.values()].some((count) => count >= this.#options.perTenant)
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    await sleep(this.#options.clock, jittered(ms, this.#options.random), signal).catch(() => {})
  }

  #begin(claim: Claim): void {
    const running: Running = {
      claim,
      abort: new AbortController(),
      leasedAt: this.#options.clock.now(),
      lost: false,
      done: Promise.resolve(),
    }
    this.#running.add(running)
    this.#count(claim.tenant, 1)
    running.done = this.#execute(running).finally(() => {
      this.#running.delete(running)
      this.#count(claim.tenant, -1)
      if (this.#mayBeMore) this.#bell.ring()
    })
  }

  #count(tenant: string | undefined, change: 1 | -1): void {
    if (tenant === undefined) return
    const count = (this.#runningByTenant.get(tenant) ?? 0) + change
    if (count === 0) this.#runningByTenant.delete(tenant)
    else this.#runningByTenant.set(tenant, count)
  }

  async #execute(running: Running): Promise<void> {
    const { name, reconcile, emitter, decisions, clock, timeoutMs } = this.#options
    const { claim, abort } = running
    const { key, attempt, fence } = claim
    const from = clock.now()
    emitter.emit('reconcile:start', { controller: name, key, attempt })
    const cancelTimeout = clock.after(timeoutMs, () =>
      abort.abort(raise.TimedOut(`${keyText(key)} took longer than ${timeoutMs} ms`)),
    )
    let how: Finish
    try {
      const outcome = await reconcile({
        key,
        attempt,
        fence,
        signal: abort.signal,
        decided: (input, decision, at, shown) => {
          const record = { controller: name, key, at, fence, input, decision }
          decisions.add(shown === undefined ? record : shownWhenRead(record, shown))
        },
      })
      how =
        outcome.next === 'onChange'
          ? { then: 'forget' }
          : { then: 'again', afterMs: outcome.ms, because: outcome.because }
    } catch (error) {
      how = this.#verdict(running, error)
    } finally {
      cancelTimeout()
    }
    const kept = !running.lost && (await this.#finish(running, how))
    emitter.emit('reconcile:end', { controller: name, key, ms: clock.now() - from, ...told(how, kept) })
  }

  #verdict({ claim, abort }: Running, error: unknown): Finish {
    const { backoff, random } = this.#options
    if (this.#stopping && abort.signal.aborted) return { then: 'handBack' }
    if (error instanceof Waiting) return { then: 'again', afterMs: error.afterMs, because: error.message }
    const failure = failureOf(error)
    const failures = claim.attempt + 1
    if (!failure.retryable || failures >= (backoff.maxAttempts ?? Infinity)) return { then: 'park', failure }
    return {
      then: 'retry',
      afterMs: Math.max(retryAfterOf(error) ?? 0, jittered(delayFor(failures, backoff), random)),
      failure,
    }
  }

  async #finish(running: Running, how: Finish): Promise<boolean> {
    const { name, queue, clock, random, emitter } = this.#options
    for (let failures = 1; ; failures++) {
      try {
        return await queue.finish(running.claim, how)
      } catch (error) {
        emitter.emit('queue:unreachable', { controller: name, doing: 'finish', error })
        if (this.#hasLapsed(running)) return false
        await sleep(clock, jittered(delayFor(failures, UNREACHABLE), random))
      }
    }
  }

  #startHeartbeat(): () => void {
    const { clock, queue } = this.#options
    let cancel = (): void => {}
    const beat = (): void => {
      for (const running of this.#running) if (this.#hasLapsed(running)) this.#lose(running)
      void this.#renew()
      cancel = clock.after(queue.leaseMs / 4, beat)
    }
    cancel = clock.after(queue.leaseMs / 4, beat)
    return () => cancel()
  }

  async #renew(): Promise<void> {
    const { name, queue, clock, emitter } = this.#options
    const asked = [...this.#running].filter(({ lost }) => !lost)
    if (this.#renewing || asked.length === 0) return
    this.#renewing = true
    const at = clock.now()
    try {
      const gone = new Set((await queue.renew(asked.map(({ claim }) => claim))).map(({ fence }) => fence))
      for (const running of asked) {
        if (!gone.has(running.claim.fence)) running.leasedAt = at
        else if (this.#running.has(running)) this.#lose(running)
      }
    } catch (error) {
      emitter.emit('queue:unreachable', { controller: name, doing: 'renew', error })
    } finally {
      this.#renewing = false
    }
  }

  /** Somebody else may hold it by now. Measured from before the last successful question, so it errs on the safe side. */
  #hasLapsed({ leasedAt }: Running): boolean {
    return this.#options.clock.now() - leasedAt >= this.#options.queue.leaseMs
  }

  #lose(running: Running): void {
    if (running.lost) return
    running.lost = true
    const { key, fence } = running.claim
    this.#options.emitter.emit('lease:lost', { controller: this.#options.name, key, fence })
    running.abort.abort(new Error(`the lease on ${keyText(key)} was lost`))
  }

  /** A run that ignores its signal keeps its lease until that lapses: handing it back could run the key twice. */
  async #drain(atOnce: AbortSignal): Promise<void> {
    const { stopGraceMs } = this.#options
    await this.#settleWithin(stopGraceMs, atOnce)
    for (const { abort } of this.#running) abort.abort(new Error('the controller is stopping'))
    await this.#settleWithin(Math.min(stopGraceMs, 5_000))
  }

  async #settleWithin(ms: number, cut?: AbortSignal): Promise<void> {
    const enough = new AbortController()
    const all = Promise.all([...this.#running].map(({ done }) => done))
    const limit = cut === undefined ? enough.signal : AbortSignal.any([enough.signal, cut])
    await Promise.race([all, sleep(this.#options.clock, ms, limit).catch(() => {})])
    enough.abort()
  }
}

/** Rung by a hint, a free place or the end. A ring between two waits is not lost. */
class Wakeup {
  readonly #clock: Clock
  #rung = false
  #awake: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  ring(): void {
    this.#rung = true
    this.#awake?.()
  }

  silence(): void {
    this.#rung = false
  }

  /** Until it rings, but no longer than `ms`. */
  async wait(ms: number): Promise<void> {
    if (this.#rung) return
    await new Promise<void>((resolve) => {
      const cancel = this.#clock.after(ms, resolve)
      this.#awake = () => {
        cancel()
        resolve()
      }
    })
    this.#awake = undefined
  }
}

type Told = Pick<KernelEvents['reconcile:end'], 'outcome' | 'because' | 'failure'>

function told(how: Finish, kept: boolean): Told {
  if (!kept) return { outcome: 'lost' }
  switch (how.then) {
    case 'forget':
      return { outcome: 'settled' }
    case 'again':
      return { outcome: 'checkAgain', because: how.because }
    case 'retry':
      return { outcome: 'retry', failure: how.failure }
    case 'park':
      return { outcome: 'terminal', failure: how.failure }
    case 'handBack':
      return { outcome: 'handedBack' }
    default:
      return how satisfies never
  }
}
