import { isUserMade, keyText, priorityOf, strongerReason, type Key, type WakeReason } from '../key.ts'
import type { Clock } from '../clock.ts'
import type { Claim, Finish, Queue, Renewal, Share, Wake } from './queue.ts'
import { Turns } from './turns.ts'
import { NO_TENANT, WaitingLine, type Waiter } from './waiting-line.ts'

export interface MemoryQueueOptions {
  readonly clock: Clock
  /** @default 30_000 */
  readonly leaseMs?: number
}

interface Entry extends Waiter {
  readonly key: Key
  reason: WakeReason
  tenant: string | undefined
  dueAt: number
  attempt: number
  /** Leases that lapsed since a run last finished. */
  lapses: number
  /** The last lease lapsed, and no claim has reported it yet. */
  hasLapsed: boolean
  turn: number
  lease: { readonly fence: number; until: number } | undefined
  /** A wake that arrived during the run. */
  wokenAgain: { reason: WakeReason; dueAt: number } | undefined
  parked: boolean
}

/** What the queue holds in memory, for metrics. All three stay in proportion to the keys. */
export interface MemoryQueueSize {
  /** Keys that wait, run or are parked. */
  readonly keys: number
  /** Places in heaps, stale ones included. */
  readonly slots: number
  /** Tenants whose last turn is remembered. */
  readonly tenants: number
}

/** Stale slots and idle tenants that may stay before they are swept, besides one for each key. */
const SWEEP_FROM = 64

/**
 * The queue for desired state that is watched, not stored: after a restart, the first list wakes every key again.
 * Waking, claiming and finishing are O(log keys). All times are monotonic.
 */
export class MemoryQueue implements Queue {
  readonly leaseMs: number
  readonly #clock: Clock
  readonly #entries = new Map<string, Entry>()
  readonly #line: WaitingLine<Entry>
  readonly #turns = new Turns()
  readonly #leased = new Set<Entry>()
  readonly #listeners = new Set<() => void>()
  #fence = 0

  constructor({ clock, leaseMs = 30_000 }: MemoryQueueOptions) {
    this.#clock = clock
    this.#line = new WaitingLine(clock, () => this.#announce())
    this.leaseMs = leaseMs
  }

  size(): MemoryQueueSize {
    return { keys: this.#entries.size, slots: this.#line.size, tenants: this.#turns.size }
  }

  async wake(key: Key, { reason, tenant: named, afterMs = 0 }: Wake): Promise<void> {
    const tenant = named === NO_TENANT ? undefined : named
    const dueAt = this.#clock.elapsed() + afterMs
    const known = this.#entries.get(keyText(key))
    if (known === undefined) {
      const entry: Entry = {
        key,
        reason,
        tenant,
        dueAt,
        attempt: 0,
        lapses: 0,
        hasLapsed: false,
        turn: this.#turns.next(tenant ?? NO_TENANT),
        slot: undefined,
        lease: undefined,
        wokenAgain: undefined,
        parked: false,
      }
      this.#entries.set(keyText(key), entry)
      this.#place(entry)
      return
    }
    // Only a key that was given up is parked with lapses.
    if (known.parked && known.lapses > 0 && reason === 'childChanged') return
    const mayMove = known.tenant === undefined || isUserMade(reason)
    const isMoved = mayMove && tenant !== undefined && tenant !== known.tenant
    if (isMoved) known.tenant = tenant
    if (known.lease !== undefined) {
      known.wokenAgain = {
        reason: known.wokenAgain ? strongerReason(known.wokenAgain.reason, reason) : reason,
        dueAt: Math.min(known.wokenAgain?.dueAt ?? Infinity, dueAt),
      }
      return
    }
    this.#rouse(known, reason, dueAt, isMoved)
  }

  async claim(_worker: string, limit: number, share?: Share): Promise<Claim[]> {
    this.#takeBackLapsedLeases()
    const claims: Claim[] = []
    const running = new Map(share?.running)
    const mayRun = (tenant: string): boolean =>
      share === undefined || tenant === NO_TENANT || (running.get(tenant) ?? 0) < share.perTenant
    this.#line.take(
      mayRun,
      () => claims.length >= limit,
      (entry, tenant) => {
        running.set(tenant, (running.get(tenant) ?? 0) + 1)
        claims.push(this.#lease(entry))
      },
    )
    return claims
  }

  async renew(claims: readonly Claim[]): Promise<Renewal> {
    this.#takeBackLapsedLeases()
    const until = this.#clock.elapsed() + this.leaseMs
    const gone = claims.filter((claim) => {
      const entry = this.#held(claim)
      if (entry?.lease) entry.lease.until = until
      return entry === undefined
    })
    return { gone, untouched: [] }
  }

  async finish(claim: Claim, how: Finish): Promise<boolean> {
    this.#takeBackLapsedLeases()
    const entry = this.#held(claim)
    if (entry === undefined) return false
    const again = entry.wokenAgain
    const isUserWoken = again !== undefined && isUserMade(again.reason)
    this.#unlease(entry)
    const now = this.#clock.elapsed()
    const hasRun = how.then !== 'handBack' && how.then !== 'postpone' && how.then !== 'giveUp'
    if (hasRun || isUserWoken) entry.lapses = 0
    switch (how.then) {
      case 'forget':
        entry.attempt = 0
        if (again === undefined) this.#entries.delete(keyText(entry.key))
        else this.#restart(entry, again.reason, again.dueAt)
        return true
      case 'again':
        entry.attempt = 0
        this.#restart(entry, again?.reason ?? 'retry', Math.min(now + how.afterMs, again?.dueAt ?? Infinity))
        return true
      case 'retry':
        entry.attempt = isUserWoken ? 0 : entry.attempt + 1
        this.#restart(
          entry,
          strongerReason('retry', again?.reason ?? 'retry'),
          // Drift during the run cuts the backoff as little as drift after it.
          Math.min(now + how.afterMs, again === undefined || again.reason === 'drift' ? Infinity : again.dueAt),
        )
        return true
      case 'park':
        this.#park(entry, again)
        return true
      case 'giveUp':
        this.#park(entry, isUserWoken ? again : undefined)
        return true
      case 'postpone':
        if (isUserWoken) entry.attempt = 0
        this.#restart(
          entry,
          again ? strongerReason(entry.reason, again.reason) : entry.reason,
          Math.min(now + how.afterMs, isUserWoken ? again.dueAt : Infinity),
        )
        return true
      case 'handBack':
        if (isUserWoken) entry.attempt = 0
        this.#restart(entry, again ? strongerReason(entry.reason, again.reason) : entry.reason, now)
        return true
      default:
        return how satisfies never
    }
  }

  onReady(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Cancels the timer of delayed keys, so that it does not keep the process alive. */
  close(): void {
    this.#line.close()
  }

  #rouse(entry: Entry, reason: WakeReason, dueAt: number, isMoved: boolean): void {
    if (isUserMade(reason)) {
      entry.attempt = 0
      entry.lapses = 0
    }
    if (entry.parked) {
      entry.parked = false
      this.#restart(entry, reason, dueAt)
      return
    }
    const stronger = strongerReason(entry.reason, reason)
    // The drift scan wakes every key: it would cut each backoff short.
    const earliest = reason === 'drift' && entry.attempt > 0 ? entry.dueAt : Math.min(entry.dueAt, dueAt)
    const stays = !isMoved && earliest === entry.dueAt && priorityOf(stronger) === priorityOf(entry.reason)
    entry.reason = stronger
    entry.dueAt = earliest
    if (!stays) this.#place(entry)
  }

  #park(entry: Entry, again: Entry['wokenAgain']): void {
    entry.attempt = 0
    if (again === undefined) entry.parked = true
    else this.#restart(entry, again.reason, again.dueAt)
  }

  #restart(entry: Entry, reason: WakeReason, dueAt: number): void {
    entry.reason = reason
    entry.dueAt = dueAt
    entry.turn = this.#turns.next(entry.tenant ?? NO_TENANT)
    this.#place(entry)
  }

  #place(entry: Entry): void {
    this.#line.place(entry)
    this.#sweep()
  }

  /** Costs O(1) per wake on average, because it runs only after as many wakes as there are keys. */
  #sweep(): void {
    const most = 2 * this.#entries.size + SWEEP_FROM
    if (this.#line.size > most) this.#line.sweep()
    if (this.#turns.size > most) this.#turns.forgetIdle()
  }

  #lease(entry: Entry): Claim {
    const fence = ++this.#fence
    entry.lease = { fence, until: this.#clock.elapsed() + this.leaseMs }
    this.#leased.add(entry)
    this.#turns.serve(entry.turn)
    const { key, reason, tenant, attempt } = entry
    const lapses = entry.hasLapsed ? entry.lapses : 0
    entry.hasLapsed = false
    return { key, reason, tenant, attempt, fence, lapses }
  }

  #unlease(entry: Entry): void {
    entry.lease = undefined
    entry.wokenAgain = undefined
    this.#leased.delete(entry)
  }

  #held({ key, fence }: Claim): Entry | undefined {
    const entry = this.#entries.get(keyText(key))
    return entry?.lease?.fence === fence ? entry : undefined
  }

  #takeBackLapsedLeases(): void {
    const now = this.#clock.elapsed()
    for (const entry of this.#leased) {
      if ((entry.lease?.until ?? Infinity) > now) continue
      const again = entry.wokenAgain
      const reason = again ? strongerReason(entry.reason, again.reason) : entry.reason
      entry.lapses = again && isUserMade(again.reason) ? 0 : entry.lapses + 1
      entry.hasLapsed = true
      this.#unlease(entry)
      this.#restart(entry, reason, now)
    }
  }

  #announce(): void {
    for (const listener of this.#listeners) listener()
  }
}
