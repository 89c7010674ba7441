import { delayFor, jittered, type Backoff } from './backoff.ts'
import { instantOf, sleep, systemClock, type Clock, type Instant } from './clock.ts'
import { answerWithin } from './deadline.ts'
import { recordsOf, type Decided, type DecisionLog } from './decisions.ts'
import { failureOf, raise, type Failure } from './errors.ts'
import type { Emitter, KernelEvents } from './emitter.ts'
import { keyText, type Key } from './key.ts'
import { verdictOnLapses } from './lapses.ts'
import { LeaseKeeper, type Held } from './lease-keeper.ts'
import type { Outcome } from './outcome.ts'
import type { Claim, Finish, Queue, Share } from './queue/queue.ts'
import type { Random } from './random.ts'
import { hasSpentAShare, RunningKeys } from './running-keys.ts'
import { service, unlessAborted, type Service } from './service.ts'
import { outcomeOf, verdictOnError } from './verdict.ts'
import { Wakeup } from './wakeup.ts'

/** One run of one key. It does not say why the key was woken: a reconciler observes the state itself. */
export interface Run {
  readonly key: Key
  readonly attempt: number
  /** Goes with every effect, so that a worker that has lost its lease can change nothing. */
  readonly fence: number
  /** Aborted when the lease is lost, the timeout is over, or the process stops and its grace is over. */
  readonly signal: AbortSignal
  /**
   * Throws when the signal is aborted, the lease may have lapsed or the run has ended. It reads the clock, because a process
   * that was suspended can send a request before the timer that aborts the signal fires. Call it before every write:
   * `client.guardedBy(run.assertLeased)`.
   */
  readonly assertLeased: () => void
  /**
   * The rest of the run waits for others, such as a process: its place goes to another key while no more than `waitingAtMost`
   * runs have given theirs away. Its tenant's share is not given away. Returns whether the run has given its place away.
   */
  readonly yieldPlace: () => boolean
  /** Records a decision and its input for explain and replay. It is kept when the run ends, with how the run ended. */
  readonly decided: (decided: Decided) => void
}

export type Reconcile = (run: Run) => Promise<Outcome>

/** Writes the failure of a key that is given up into the domain's own status. */
export type ReportGivenUp = (run: Pick<Run, 'key' | 'fence' | 'signal'>, failure: Failure) => Promise<void>

export interface ControllerOptions {
  readonly name: string
  readonly queue: Queue
  readonly reconcile: Reconcile
  readonly emitter: Emitter<KernelEvents>
  readonly decisions: DecisionLog
  /** Stored with every claim, so that operators see which worker holds a key. @default name */
  readonly worker?: string
  /** How many keys run at once. @default 4 */
  readonly concurrency?: number
  /** How many runs may have yielded their places and still go on. @default 0 */
  readonly waitingAtMost?: number
  /** The most keys of one claim; with more free places than that, some runs finish while others are claimed. @default 100 */
  readonly claimAtMost?: number
  /** How many of them may belong to one tenant. @default concurrency - 1, at least 1 */
  readonly perTenant?: number
  /** How often to ask the queue when it gives no hint. @default 2_000 */
  readonly pollMs?: number
  /** A run that takes longer is aborted. @default 600_000 */
  readonly timeoutMs?: number
  /** How long a run may ignore that before its lease is left to lapse. @default 10_000 */
  readonly abortGraceMs?: number
  /** The lapse in a row at which a key is parked as `RunNeverEnded`. @default 5 */
  readonly maxLapses?: number
  /** Called before a key is parked as `RunNeverEnded`. @default nothing is reported */
  readonly reportGivenUp?: ReportGivenUp
  /** How long runs may continue after stop before they are aborted. @default 20_000 */
  readonly stopGraceMs?: number
  /** @default 1 s doubling to 5 min, without end */
  readonly backoff?: Backoff
  readonly clock?: Clock
  readonly random?: Random
}

/** How long to wait before asking an unreachable queue again: 100 ms doubling to 2 s. */
const UNREACHABLE: Backoff = { baseMs: 100, capMs: 2_000 }

/** The longest delay between two runs of a key whose runs never end. */
const LONGEST_POSTPONE_MS = 300_000

interface Running extends Held {
  readonly abort: AbortController
  readonly decided: Decided[]
  isFinishing: boolean
  /** It takes no place. */
  isWaiting: boolean
  done: Promise<void>
}

/**
 * The loop: claim → reconcile → settle, wait, retry or give up.
 *
 * - A key never runs twice at the same time: the queue guarantees it for claims, the fence for effects.
 * - Waiting costs no attempt; an error that is not retryable, or one too many, parks the key until it is woken.
 * - A key whose runs never end is postponed, then parked, without being run.
 * - An unreachable queue stops nothing that runs: finishing is tried again until the lease has lapsed.
 * - Stopping claims no more, lets runs finish, then aborts them and hands their keys back.
 */
export function controller(options: ControllerOptions): Service {
  const loop = new Loop(options)
  return service(options.name, (signal, ready, atOnce) => loop.run(signal, ready, atOnce))
}

class Loop {
  readonly #options: Required<ControllerOptions>
  readonly #running = new RunningKeys<Running>()
  readonly #leases: LeaseKeeper
  readonly #wakeup: Wakeup
  /** The last claim may have left keys behind, because of `concurrency` or `perTenant`: ask again when a run ends. */
  #mayBeMore = false
  #stopping = false

  constructor(options: ControllerOptions) {
    const concurrency = options.concurrency ?? 4
    this.#options = {
      worker: options.name,
      concurrency,
      waitingAtMost: 0,
      claimAtMost: 100,
      perTenant: Math.max(1, concurrency - 1),
      pollMs: 2_000,
      timeoutMs: 600_000,
      abortGraceMs: 10_000,
      maxLapses: 5,
      reportGivenUp: async () => {},
      stopGraceMs: 20_000,
      backoff: { baseMs: 1_000, capMs: 300_000 },
      clock: systemClock,
      random: Math.random,
      ...options,
    }
    this.#leases = new LeaseKeeper(this.#options, this.#running.all)
    this.#wakeup = new Wakeup(this.#options.clock)
  }

  async run(signal: AbortSignal, ready: () => void, atOnce: AbortSignal): Promise<void> {
    const { queue } = this.#options
    const unsubscribe = queue.onReady(() => this.#wakeup.ring())
    const stopRenewing = this.#leases.start()
    signal.addEventListener('abort', () => this.#wakeup.ring(), { once: true })
    ready()
    try {
      await unlessAborted(() => this.#claimUntil(signal), atOnce)
      this.#stopping = true
      await this.#drain(atOnce)
    } finally {
      stopRenewing()
      unsubscribe()
    }
  }

  get #busy(): number {
    return this.#running.size - this.#waiting
  }

  get #waiting(): number {
    return [...this.#running.all].filter(({ isWaiting }) => isWaiting).length
  }

  #yieldPlace(running: Running): boolean {
    if (running.isWaiting) return true
    if (this.#waiting >= this.#options.waitingAtMost) return false
    running.isWaiting = true
    this.#wakeup.ring()
    return true
  }

  async #claimUntil(signal: AbortSignal): Promise<void> {
    const { concurrency, claimAtMost, perTenant, pollMs } = this.#options
    let failures = 0
    while (!signal.aborted) {
      this.#wakeup.silence()
      const free = Math.min(concurrency - this.#busy, claimAtMost)
      const running = this.#running.countByTenant()
      const asked = instantOf(this.#options.clock)
      const claims = free > 0 ? await this.#claim(free, running) : []
      if (claims === undefined) {
        await this.#pause(delayFor(++failures, UNREACHABLE), signal)
        continue
      }
      failures = 0
      if (signal.aborted) return await this.#handBack(claims)
      for (const claim of claims) this.#begin(claim, asked)
      const tookAll = claims.length === free
      this.#mayBeMore = tookAll || hasSpentAShare(running, claims, perTenant)
      if (!(tookAll && this.#busy < concurrency)) await this.#wakeup.wait(pollMs)
    }
  }

  /** A claim that is answered late is handed back, so that every run begins with most of its lease ahead. */
  async #claim(limit: number, running: Share['running']): Promise<readonly Claim[] | undefined> {
    const { name, queue, clock, worker, perTenant } = this.#options
    const share: Share = { perTenant, running }
    const late = (claims: readonly Claim[]): void => void this.#handBack(claims)
    try {
      return await answerWithin({ clock, ms: queue.leaseMs / 4, call: 'claim', late }, () =>
        queue.claim(worker, limit, share),
      )
    } catch (error) {
      this.#options.emitter.emit('queue:unreachable', { controller: name, doing: 'claim', error })
      return undefined
    }
  }

  /** What cannot be handed back is claimed again when its lease has lapsed. */
  async #handBack(claims: readonly Claim[]): Promise<void> {
    const { queue } = this.#options
    await Promise.all(claims.map((claim) => queue.finish(claim, { then: 'handBack' }).catch(() => {})))
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    await sleep(this.#options.clock, jittered(ms, this.#options.random), signal).catch(() => {})
  }

  #begin(claim: Claim, leasedAt: Instant): void {
    const abort = new AbortController()
    const running: Running = {
      claim,
      abort,
      decided: [],
      leasedAt,
      isRenewed: true,
      isLost: false,
      isFinishing: false,
      isWaiting: false,
      onLost: () => {
        abort.abort(new Error(`the lease on ${keyText(claim.key)} was lost`))
        if (running.isFinishing) this.#abandonFinish(running)
      },
      done: Promise.resolve(),
    }
    this.#running.add(running)
    running.done = this.#execute(running).finally(() => this.#release(running))
  }

  #release(running: Running): void {
    if (this.#running.remove(running) && this.#mayBeMore) this.#wakeup.ring()
  }

  async #execute(running: Running): Promise<void> {
    const { name, emitter, clock, decisions } = this.#options
    const { key, attempt, fence, tenant } = running.claim
    const from = clock.now()
    emitter.emit('reconcile:start', { controller: name, key, attempt })
    const how = this.#verdictOnLapses(running.claim) ?? (await this.#reconcile(running))
    const unreported = how.then === 'giveUp' ? await this.#reportGivenUp(running, how.failure) : undefined
    const kept = unreported === undefined && !running.isLost && (await this.#finish(running, how))
    const end = { ms: clock.now() - from, ...outcomeOf(how, kept), ...(unreported && { failure: unreported }) }
    const made = { controller: name, key, fence, ...(tenant !== undefined && { tenant }) }
    const records = recordsOf(running.decided, made, { ...end, attempt })
    for (const record of records) decisions.add(record)
    emitter.emit('reconcile:end', { controller: name, key, ...end })
  }

  #verdictOnLapses(claim: Claim): Finish | undefined {
    const { queue, random, maxLapses } = this.#options
    const backoff: Backoff = { baseMs: queue.leaseMs / 4, capMs: LONGEST_POSTPONE_MS }
    return verdictOnLapses(claim, { backoff, maxLapses }, random)
  }

  /**
   * Returns why the report failed. The key is then not parked: its lease lapses, and the next claim reports again. A report
   * that ends its process as well is not repeated for ever.
   */
  async #reportGivenUp({ claim, abort }: Running, failure: Failure): Promise<Failure | undefined> {
    const { clock, queue, maxLapses, reportGivenUp } = this.#options
    const { key, fence, lapses } = claim
    if (lapses >= 2 * maxLapses) return undefined
    try {
      await answerWithin({ clock, ms: queue.leaseMs / 2, call: 'report' }, () =>
        reportGivenUp({ key, fence, signal: abort.signal }, failure),
      )
      return undefined
    } catch (error) {
      return failureOf(error)
    }
  }

  async #reconcile(running: Running): Promise<Finish> {
    const { reconcile } = this.#options
    const { key, attempt, fence } = running.claim
    const cancelTimeout = this.#startTimeout(running)
    try {
      const outcome = await reconcile({
        key,
        attempt,
        fence,
        signal: running.abort.signal,
        assertLeased: () => this.#assertLeased(running),
        yieldPlace: () => this.#yieldPlace(running),
        decided: (decided) => void running.decided.push(decided),
      })
      return outcome.next === 'onChange'
        ? { then: 'forget' }
        : { then: 'again', afterMs: outcome.ms, because: outcome.because }
    } catch (error) {
      return this.#verdict(running, error)
    } finally {
      cancelTimeout()
    }
  }

  #assertLeased(running: Running): void {
    this.#leases.check(running)
    running.abort.signal.throwIfAborted()
    if (running.isFinishing) throw new Error(`the run of ${keyText(running.claim.key)} has ended`)
  }

  /** A run that ignores its abort signal blocks its place here, but must not block its key for other workers. */
  #startTimeout(running: Running): () => void {
    const { name, emitter, clock, timeoutMs, abortGraceMs } = this.#options
    const { key } = running.claim
    const abandon = (): void => {
      running.isRenewed = false
      emitter.emit('run:stuck', { controller: name, key, ms: timeoutMs + abortGraceMs })
    }
    let cancel = clock.after(timeoutMs, () => {
      running.abort.abort(raise.TimedOut(`${keyText(key)} took longer than ${timeoutMs} ms`))
      cancel = clock.after(abortGraceMs, abandon)
    })
    return () => cancel()
  }

  #verdict({ claim, abort }: Running, error: unknown): Finish {
    const { backoff, random } = this.#options
    if (this.#stopping && abort.signal.aborted) return { then: 'handBack' }
    return verdictOnError(claim, error, backoff, random)
  }

  /** Tried again until the lease has lapsed. The lease is not renewed during a finish, so one that hangs frees its place. */
  async #finish(running: Running, how: Finish): Promise<boolean> {
    const { name, queue, clock, random, emitter } = this.#options
    running.isRenewed = false
    running.isFinishing = true
    for (let failures = 1; ; failures++) {
      try {
        return await queue.finish(running.claim, how)
      } catch (error) {
        emitter.emit('queue:unreachable', { controller: name, doing: 'finish', error })
        if (this.#leases.hasLapsed(running)) return false
        await sleep(clock, jittered(delayFor(failures, UNREACHABLE), random))
      }
    }
  }

  /** The answer no longer matters: another worker may have the key. */
  #abandonFinish(running: Running): void {
    const error = raise.TimedOut('finish gave no answer before the lease lapsed')
    this.#options.emitter.emit('queue:unreachable', { controller: this.#options.name, doing: 'finish', error })
    this.#release(running)
  }

  /** A run that ignores its signal keeps its lease until that lapses: handing it back could run the key twice. */
  async #drain(atOnce: AbortSignal): Promise<void> {
    const { stopGraceMs, clock } = this.#options
    await this.#running.settleWithin(clock, stopGraceMs, atOnce)
    for (const { abort } of this.#running.all) abort.abort(new Error('the controller is stopping'))
    await this.#running.settleWithin(clock, Math.min(stopGraceMs, 5_000))
  }
}
