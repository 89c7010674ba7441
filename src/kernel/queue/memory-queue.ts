import { isUserMade, keyText, priorityOf, strongerReason, type Key, type WakeReason } from '../key.ts'
import type { Clock } from '../clock.ts'
import { Heap } from './heap.ts'
import { Lanes, type Placed } from './lanes.ts'
import type { Claim, Finish, Queue, Renewal, Share, Wake } from './queue.ts'
import { Turns } from './turns.ts'

export interface MemoryQueueOptions {
  readonly clock: Clock
  /** @default 30_000 */
  readonly leaseMs?: number
}

interface Entry {
  readonly key: Key
  reason: WakeReason
  tenant: string | undefined
  dueAt: number
  attempt: number
  /** Leases that lapsed since a run last finished by itself. */
  lapses: number
  /** The last lease lapsed, and no claim has reported it yet. */
  hasLapsed: boolean
  /** Place among the entries of equal priority. */
  turn: number
  /** The one slot through which this entry may be claimed; replaced ones are stale. */
  slot: Slot | undefined
  lease: { readonly fence: number; until: number } | undefined
  /** A wake that arrived during the run. */
  wokenAgain: { reason: WakeReason; dueAt: number } | undefined
  parked: boolean
}

/** A place in a heap. Immutable: reordering an item in place would corrupt the heap. */
interface Slot extends Placed {
  readonly entry: Entry
  readonly at: number
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
 *
 * Ready entries wait in lanes by priority; delayed ones in a heap with one timer for the earliest. So waking, claiming
 * and finishing are O(log keys). All times are monotonic.
 */
export class MemoryQueue implements Queue {
  readonly leaseMs: number
  readonly #clock: Clock
  readonly #entries = new Map<string, Entry>()
  readonly #ready: readonly Lanes<Slot>[] = [0, 1, 2].map(() => new Lanes<Slot>((slot) => slot.entry.slot === slot))
  readonly #delayed = new Heap<Slot>((a, b) => a.at < b.at)
  readonly #turns = new Turns()
  readonly #leased = new Set<Entry>()
  readonly #listeners = new Set<() => void>()
  #fence = 0
  #seq = 0
  #timer: { cancel: () => void; at: number } | undefined
  #isClosed = false

  constructor({ clock, leaseMs = 30_000 }: MemoryQueueOptions) {
    this.#clock = clock
    this.leaseMs = leaseMs
  }

  size(): MemoryQueueSize {
    return { keys: this.#entries.size, slots: this.#countSlots(), tenants: this.#turns.size }
  }

  async wake(key: Key, { reason, tenant, afterMs = 0 }: Wake): Promise<void> {
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
    const isMoved = tenant !== undefined && tenant !== known.tenant
    known.tenant = tenant ?? known.tenant
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
    for (const lanes of this.#ready) {
      lanes.take(
        mayRun,
        () => claims.length >= limit,
        ({ entry, tenant }) => {
          running.set(tenant, (running.get(tenant) ?? 0) + 1)
          claims.push(this.#lease(entry))
        },
      )
    }
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
        this.#restart(entry, again?.reason ?? 'retry', Math.min(now + how.afterMs, again?.dueAt ?? Infinity))
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
    this.#isClosed = true
    this.#timer?.cancel()
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
    const stays = !isMoved && dueAt >= entry.dueAt && priorityOf(stronger) === priorityOf(entry.reason)
    entry.reason = stronger
    entry.dueAt = Math.min(entry.dueAt, dueAt)
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
    const { turn, dueAt: at, tenant = NO_TENANT } = entry
    const slot: Slot = { entry, tenant, turn, seq: this.#seq++, at }
    entry.slot = slot
    if (slot.at <= this.#clock.elapsed()) {
      this.#ready[priorityOf(entry.reason)]?.push(slot)
      this.#announce()
    } else {
      this.#delayed.push(slot)
      this.#setTimer()
    }
    this.#sweep()
  }

  /** Costs O(1) per wake on average, because it runs only after as many wakes as there are keys. */
  #sweep(): void {
    const most = 2 * this.#entries.size + SWEEP_FROM
    if (this.#countSlots() > most) {
      this.#delayed.keep((slot) => slot.entry.slot === slot)
      for (const lanes of this.#ready) lanes.sweep()
    }
    if (this.#turns.size > most) this.#turns.forgetIdle()
  }

  #countSlots(): number {
    let slots = this.#delayed.size
    for (const lanes of this.#ready) slots += lanes.size
    return slots
  }

  #lease(entry: Entry): Claim {
    const fence = ++this.#fence
    entry.lease = { fence, until: this.#clock.elapsed() + this.leaseMs }
    entry.slot = undefined
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

  #setTimer(): void {
    const next = this.#delayed.peek()
    if (this.#isClosed || next === undefined || (this.#timer && this.#timer.at <= next.at)) return
    this.#timer?.cancel()
    const cancel = this.#clock.after(next.at - this.#clock.elapsed(), () => {
      this.#timer = undefined
      this.#moveDue()
    })
    this.#timer = { cancel, at: next.at }
  }

  #moveDue(): void {
    const now = this.#clock.elapsed()
    for (let next = this.#delayed.peek(); next !== undefined && next.at <= now; next = this.#delayed.peek()) {
      this.#delayed.pop()
      if (next.entry.slot === next) this.#ready[priorityOf(next.entry.reason)]?.push(next)
    }
    this.#announce()
    this.#setTimer()
  }

  #announce(): void {
    for (const listener of this.#listeners) listener()
  }
}

/** Keys without a tenant share the turns of this one. */
const NO_TENANT = ''
