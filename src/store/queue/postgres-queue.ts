import {
  failureOf,
  systemClock,
  type Claim,
  type Clock,
  type Finish,
  type Key,
  type Queue,
  type Share,
  type Wake,
} from '../../kernel/index.ts'
import { Batch } from '../batch.ts'
import type { Listener } from '../listen.ts'
import { raise } from '../failures.ts'
import type { Tx } from '../tx.ts'
import { claimKeys, type Claimed } from './claim.ts'
import { finishClaims, type Finished, type FinishCall } from './finish.ts'
import { CHANNEL, HintThrottle } from './hints.ts'
import { lineUp } from './order-due.ts'
import { lookAhead } from './look-ahead.ts'
import type { QueuePool } from './pool.ts'
import { renewLeases } from './renew.ts'
import { wakeKeys, type WakeCall } from './wake.ts'

export interface PostgresQueueOptions {
  readonly pool: QueuePool
  /** Queues of different names share the table and nothing else. */
  readonly name: string
  /** Brings hints of other processes. Absent: asking from time to time finds everything, later. */
  readonly listener?: Listener
  /** With a poll every few seconds, the key of a killed worker runs again within 30 s. @default 20_000 */
  readonly leaseMs?: number
  /** Keep a row of history per settled run; `pruneHistory` removes them. @default false */
  readonly keepHistory?: boolean
  readonly clock?: Clock
}

/** A row that another transaction holds is asked for again after this long, until its lease is in doubt. */
const BUSY_MS = 25

/** How often to look ahead while every claim finds as much as it asked for. */
const LOOK_AHEAD_MS = 50

const REGISTER = `
  insert into caelus.job_turn (queue, priority) select $1, generate_series(0, 2) on conflict do nothing`

const HINT = `select pg_notify('${CHANNEL}', $1)`

/**
 * The kernel's queue as a table. The server's clock alone decides what is due and whose lease has run out; the clock
 * given here only times hints.
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
  /** Where the rows of our claims are, by fence; see `finish.ts`. */
  readonly #places = new Map<number, string>()
  readonly #unlisten: () => void
  /** The last turns taken that the table does not know of yet, by priority. */
  readonly #turns = new Map<number, number>()
  #lookedAt = 0
  #closed = false
  #registered: Promise<unknown> | undefined
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

  /** Wakes keys if and when the transaction commits: the change and its wake cannot be had one without the other. */
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
      const got = await this.#claimOnce(worker, limit - claims.length, share && { ...share, running })
      claims.push(...got.claims)
      got.claims.forEach(({ fence }, i) => this.#places.set(fence, got.places[i] ?? ''))
      if (got.claims.length === 0 || got.passedOver === 0 || claims.length >= limit) return claims
      for (const { tenant } of got.claims) if (tenant !== undefined) running.set(tenant, (running.get(tenant) ?? 0) + 1)
    }
  }

  renew(claims: readonly Claim[]): Promise<Claim[]> {
    for (const { fence } of claims) this.#places.delete(fence)
    return renewLeases(this.#pool, this.name, claims, this.leaseMs)
  }

  async finish(claim: Claim, how: Finish): Promise<boolean> {
    const until = this.#clock.now() + this.leaseMs
    const place = this.#places.get(claim.fence)
    this.#places.delete(claim.fence)
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

  /** Stops hints and timers. What was asked for before is still written. */
  close(): void {
    this.#closed = true
    this.#unlisten()
    this.#throttle.stop()
    this.#timer?.cancel()
    this.#timer = undefined
  }

  async #claimOnce(worker: string, limit: number, share: Share | undefined): Promise<Claimed> {
    const call = { queue: this.name, worker, limit, leaseMs: this.leaseMs, share }
    let got = await claimKeys(this.#pool, { ...call, anyway: false })
    if (got.claims.length === 0 && (await this.#lookAhead()) <= 0) {
      await lineUp(this.#pool, this.name)
      got = await claimKeys(this.#pool, { ...call, anyway: true })
    }
    for (const [priority, turn] of got.turns) this.#turns.set(priority, turn)
    const full = got.claims.length === limit
    if (got.claims.length > 0 && (!full || this.#clock.now() - this.#lookedAt >= LOOK_AHEAD_MS)) {
      // Whoever asks again finds out what this one did not.
      void this.#lookAhead().catch(() => {})
    }
    return got
  }

  /** Sets the timer for the next delayed key, and answers how long that is. */
  async #lookAhead(): Promise<number> {
    const turns = new Map(this.#turns)
    this.#turns.clear()
    this.#lookedAt = this.#clock.now()
    const nextMs = await lookAhead(this.#pool, this.name, turns)
    // One that is overdue and stays so is held by somebody: asking for it without a pause would be a busy loop.
    if (nextMs !== undefined) this.#announceIn(nextMs > 0 ? nextMs : BUSY_MS)
    return nextMs ?? Infinity
  }

  /** Where `served` is kept; without these rows tenants would still take turns, but new ones would line up too early. */
  async #register(): Promise<void> {
    this.#registered ??= this.#pool.query(REGISTER, [this.name])
    await this.#registered.catch((error: unknown) => {
      this.#registered = undefined
      throw error
    })
  }

  /** One key whose row is held elsewhere must not keep the others from being woken. */
  async #wakeTogether(calls: readonly WakeCall[]): Promise<readonly (void | Promise<void>)[]> {
    const hint = this.#throttle.takeNow()
    try {
      await wakeKeys(this.#pool, this.name, calls, hint)
      return []
    } catch (error) {
      if (calls.length === 1 || failureOf(error).code !== 'DatabaseBusy') throw error
      return calls.map((call) => wakeKeys(this.#pool, this.name, [call], hint))
    }
  }

  /** A key became due, or will: every worker may take it now, this one asks for it when the time has come. */
  #hintIn(ms: number): void {
    this.#announceIn(ms)
    if (ms <= 0 && this.#throttle.takeNow()) void this.#sendHint()
  }

  /** One timer, for the earliest delayed key that this process knows of. Each claim tells of the next. */
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
    // Lost hints are made up for by asking from time to time.
    await this.#pool.query(HINT, [this.name]).catch(() => {})
  }

  #announce(): void {
    for (const listener of this.#listeners) listener()
  }
}
