import {
  failureOf,
  systemClock,
  type Claim,
  type Clock,
  type Finish,
  type Key,
  type Queue,
  type Renewal,
  type Share,
  type Wake,
} from '../../kernel/index.ts'
import { Batch } from '../batch.ts'
import type { Listener } from '../listen.ts'
import { raise } from '../failures.ts'
import type { Tx } from '../tx.ts'
import { claimKeys, fullTenants, type Claimed, type RowClaim } from './claim.ts'
import { finishClaims, type Finished, type FinishCall } from './finish.ts'
import { CHANNEL, HintThrottle } from './hints.ts'
import { lineUp } from './order-due.ts'
import { lookAhead } from './look-ahead.ts'
import type { QueuePool } from './pool.ts'
import { renewLeases } from './renew.ts'
import { wakeKeys, type WakeCall } from './wake.ts'

export interface PostgresQueueOptions {
  readonly pool: QueuePool
  /** Queues with different names share only the table. */
  readonly name: string
  /** Receives the hints of other processes. Absent: polling finds every key, but later. */
  readonly listener?: Listener
  /** With a poll every few seconds, the key of a killed worker runs again within 30 s. @default 20_000 */
  readonly leaseMs?: number
  /** Keep a row of history per settled run; `pruneHistory` removes them. @default false */
  readonly keepHistory?: boolean
  readonly clock?: Clock
}

/** The pause before a row that another transaction holds is tried again. */
const BUSY_MS = 25

/** The least time between two look-aheads while every claim is answered in full. */
const LOOK_AHEAD_MS = 50

const REGISTER = `
  insert into caelus.job_turn (queue, priority) select $1, generate_series(0, 2) on conflict do nothing`

const HINT = `select pg_notify('${CHANNEL}', $1)`

/**
 * The kernel's queue as a table. The clock of the server decides which keys are due and which leases have lapsed; the
 * clock given here only times hints.
 */
export class PostgresQueue implements Queue {
  readonly leaseMs: number
  readonly name: string
  readonly #pool: QueuePool
  readonly #clock: Clock
  readonly #wakes: Batch<WakeCall, void>
  readonly #finishes: Batch<FinishCall, Finished>
  readonly #throttle: HintThrottle
  readonly #listeners = new Set<() => void>()
  readonly #unlisten: () => void
  /** The last turns taken, by priority, that are not yet stored. */
  readonly #turns = new Map<number, number>()
  #lookedAt = 0
  /** As of the last look-ahead. */
  #isCrowded = false
  #closed = false
  #registered: Promise<unknown> | undefined
  #lastAlone: Promise<void> = Promise.resolve()
  #timer: { readonly at: number; readonly cancel: () => void } | undefined

  constructor({
    pool,
    name,
    listener,
    leaseMs = 20_000,
    keepHistory = false,
    clock = systemClock,
  }: PostgresQueueOptions) {
    this.#pool = pool
    this.name = name
    this.leaseMs = leaseMs
    this.#clock = clock
    this.#wakes = new Batch((calls) => this.#wakeTogether(calls))
    this.#finishes = new Batch((calls) => finishClaims(pool, calls, { queue: name, keep: keepHistory }))
    this.#throttle = new HintThrottle(clock, () => void this.#sendHint())
    this.#unlisten =
      listener?.subscribe(CHANNEL, (payload) => {
        if (payload === undefined || payload === name) this.#announce()
      }) ?? (() => {})
  }

  wake(key: Key, wake: Wake): Promise<void> {
    return this.#wakes.add({ key, wake })
  }

  /** Many wakes in one statement. */
  async wakeAll(calls: readonly WakeCall[]): Promise<void> {
    if (calls.length > 0) await wakeKeys(this.#pool, this.name, calls, this.#throttle.takeNow())
  }

  /** Wakes keys if and when the transaction commits, so that a change and its wake are atomic. */
  async wakeIn(tx: Tx, ...calls: readonly WakeCall[]): Promise<void> {
    if (calls.length === 0) return
    await wakeKeys(tx, this.name, calls, false)
    tx.afterCommit(() => {
      if (this.#throttle.takeNow()) void this.#sendHint()
    })
  }

  async claim(worker: string, limit: number, share?: Share): Promise<Claim[]> {
    if (limit <= 0) return []
    await this.#register()
    const running = new Map(share?.running)
    const claims: Claim[] = []
    for (;;) {
      try {
        const got = await this.#claimOnce(worker, limit - claims.length, share && { ...share, running })
        claims.push(...got.claims)
        for (const { tenant } of got.claims)
          if (tenant !== undefined) running.set(tenant, (running.get(tenant) ?? 0) + 1)
        const full = fullTenants(share && { ...share, running })
        const isMore = got.claims.length > 0 && got.passedOver > 0 && claims.length < limit
        if (isMore) await this.#lookAhead(full)
        else {
          if (got.claims.length > 0) this.#lookAheadLater(claims.length < limit, full)
          return claims
        }
      } catch (error) {
        // Keys that an earlier statement has leased must be run: the next claim reports the failure if it lasts.
        if (claims.length > 0) return claims
        throw error
      }
    }
  }

  renew(claims: readonly RowClaim[]): Promise<Renewal> {
    for (const claim of claims) claim.place = undefined
    return renewLeases(this.#pool, this.name, claims, this.leaseMs)
  }

  async finish(claim: RowClaim, how: Finish): Promise<boolean> {
    const until = this.#clock.now() + this.leaseMs
    const { place } = claim
    claim.place = undefined
    for (;;) {
      const { answer, dueMs } = await this.#finishes.add({ claim, how, place })
      if (dueMs !== undefined) this.#hintIn(dueMs)
      if (answer !== 'busy') return answer === 'done'
      if (this.#clock.now() >= until) {
        throw raise.DatabaseBusy(
          `failed to finish ${claim.key.kind}/${claim.key.id}: another transaction holds its row`,
        )
      }
      await new Promise<void>((resolve) => this.#clock.after(BUSY_MS, resolve))
    }
  }

  onReady(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Stops hints and timers. Statements under way are completed. */
  close(): void {
    this.#closed = true
    this.#unlisten()
    this.#throttle.stop()
    this.#timer?.cancel()
    this.#timer = undefined
  }

  async #claimOnce(worker: string, limit: number, share: Share | undefined): Promise<Claimed> {
    const call = { queue: this.name, worker, limit, leaseMs: this.leaseMs, share }
    let got = await claimKeys(this.#pool, { ...call, anyway: false, isCrowded: this.#isCrowded })
    if (got.claims.length === 0 && (await this.#lookAhead(fullTenants(share))) <= 0) {
      await lineUp(this.#pool, this.name)
      got = await claimKeys(this.#pool, { ...call, anyway: true, isCrowded: this.#isCrowded })
    }
    for (const [priority, turn] of got.turns) this.#turns.set(priority, turn)
    return got
  }

  /** While every claim is answered in full, once in a while is enough. The next claim reports a failure that lasts. */
  #lookAheadLater(isNeeded: boolean, full: readonly string[]): void {
    if (!isNeeded && this.#clock.now() - this.#lookedAt < LOOK_AHEAD_MS) return
    void this.#lookAhead(full).catch(() => {})
  }

  /** Sets the timer for the next delayed key, and answers how long that is. */
  async #lookAhead(full: readonly string[]): Promise<number> {
    const turns = new Map(this.#turns)
    this.#turns.clear()
    this.#lookedAt = this.#clock.now()
    const { nextMs, isCrowded } = await lookAhead(this.#pool, { queue: this.name, turns, full })
    this.#isCrowded = isCrowded
    // A key that stays overdue is locked by another transaction: without a pause this would be a busy loop.
    if (nextMs !== undefined) this.#announceIn(nextMs > 0 ? nextMs : BUSY_MS)
    return nextMs ?? Infinity
  }

  /** Creates the rows that keep `served`. Without them new tenants would line up too early. */
  async #register(): Promise<void> {
    this.#registered ??= this.#pool.query(REGISTER, [this.name])
    await this.#registered.catch((error: unknown) => {
      this.#registered = undefined
      throw error
    })
  }

  /**
   * If another transaction holds the row of one key, the other keys are woken one by one. One after the other, because each
   * that has to wait keeps a connection, and claims and renewals need them too.
   */
  async #wakeTogether(calls: readonly WakeCall[]): Promise<readonly (void | Promise<void>)[]> {
    const hint = this.#throttle.takeNow()
    try {
      await wakeKeys(this.#pool, this.name, calls, hint)
      return []
    } catch (error) {
      if (calls.length === 1 || failureOf(error).code !== 'DatabaseBusy') throw error
      return calls.map((call) => this.#wakeAlone(call, hint))
    }
  }

  #wakeAlone(call: WakeCall, hint: boolean): Promise<void> {
    const woken = this.#lastAlone.then(() => wakeKeys(this.#pool, this.name, [call], hint))
    this.#lastAlone = woken.catch(() => {})
    return woken
  }

  /** Announces a key that is due in `ms`: to all workers if it is due now, else to this one when it is. */
  #hintIn(ms: number): void {
    this.#announceIn(ms)
    if (ms <= 0 && this.#throttle.takeNow()) void this.#sendHint()
  }

  /** One timer, for the earliest delayed key that this process knows of. Each look-ahead sets the next. */
  #announceIn(ms: number): void {
    const at = this.#clock.now() + Math.max(ms, 0)
    if (this.#closed || (this.#timer !== undefined && this.#timer.at <= at)) return
    this.#timer?.cancel()
    const cancel = this.#clock.after(at - this.#clock.now(), () => {
      this.#timer = undefined
      this.#announce()
    })
    this.#timer = { at, cancel }
  }

  async #sendHint(): Promise<void> {
    // Polling makes up for lost hints.
    await this.#pool.query(HINT, [this.name]).catch(() => {})
  }

  #announce(): void {
    for (const listener of this.#listeners) listener()
  }
}
