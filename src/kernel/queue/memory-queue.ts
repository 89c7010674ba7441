import { isUserMade, keyText, priorityOf, strongerReason, type Key, type WakeReason } from '../key.ts'
import type { Clock } from '../clock.ts'
import { Heap } from './heap.ts'
import { Lanes, type Placed } from './lanes.ts'
import type { Claim, Finish, Queue, Share, Wake } from './queue.ts'

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
  /** Place among the entries of equal priority; see `#nextTurn`. */
  turn: number
  /** The one slot through which this entry may be claimed; older ones are leftovers of earlier places. */
  slot: Slot | undefined
  lease: { readonly fence: number; until: number } | undefined
  /** A wake that arrived during the run. */
  wokenAgain: { reason: WakeReason; dueAt: number } | undefined
  parked: boolean
}

/** A place in a heap. Immutable, because a heap whose items change their order under it is no heap. */
interface Slot extends Placed {
  readonly entry: Entry
  readonly at: number
}

/**
 * The queue of everything whose desired state is watched, not stored: a restart lists the world and wakes it again.
 *
 * Ready entries wait in lanes, apart by priority; delayed ones have one timer for the earliest. So waking, claiming and
 * finishing cost a logarithm, whatever the number of keys that merely wait.
 */
export class MemoryQueue implements Queue {
  readonly leaseMs: number
  readonly #clock: Clock
  readonly #entries = new Map<string, Entry>()
  readonly #ready: readonly Lanes<Slot>[] = [0, 1, 2].map(() => new Lanes<Slot>((slot) => slot.entry.slot === slot))
  readonly #delayed = new Heap<Slot>((a, b) => a.at < b.at)
  /** The last turn given to each tenant that has one still ahead of the queue. */
  readonly #lastTurn = new Map<string, number>()
  readonly #leased = new Set<Entry>()
  readonly #listeners = new Set<() => void>()
  #fence = 0
  #seq = 0
  /** The turn most recently served: where a tenant that was idle joins in. */
  #served = 0
  #timer: { cancel: () => void; at: number } | undefined
  #isClosed = false

  constructor({ clock, leaseMs = 30_000 }: MemoryQueueOptions) {
    this.#clock = clock
    this.leaseMs = leaseMs
  }

  /** Keys that are waiting or running. For metrics: it is stale before you read it. */
  get length(): number {
    return this.#entries.size
  }

  async wake(key: Key, { reason, tenant, afterMs = 0 }: Wake): Promise<void> {
    const dueAt = this.#clock.now() + afterMs
    const known = this.#entries.get(keyText(key))
    if (known === undefined) {
      const entry: Entry = {
        key,
        reason,
        tenant,
        dueAt,
        attempt: 0,
        turn: this.#nextTurn(tenant),
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
      share === undefined || tenant === NOBODY || (running.get(tenant) ?? 0) < share.perTenant
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

  async renew(claims: readonly Claim[]): Promise<Claim[]> {
    this.#takeBackLapsedLeases()
    const until = this.#clock.now() + this.leaseMs
    return claims.filter((claim) => {
      const entry = this.#held(claim)
      if (entry?.lease) entry.lease.until = until
      return entry === undefined
    })
  }

  async finish(claim: Claim, how: Finish): Promise<boolean> {
    this.#takeBackLapsedLeases()
    const entry = this.#held(claim)
    if (entry === undefined) return false
    const again = entry.wokenAgain
    this.#unlease(entry)
    const now = this.#clock.now()
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
        entry.attempt = again && isUserMade(again.reason) ? 0 : entry.attempt + 1
        this.#restart(entry, again?.reason ?? 'retry', Math.min(now + how.afterMs, again?.dueAt ?? Infinity))
        return true
      case 'park':
        entry.attempt = 0
        if (again === undefined) entry.parked = true
        else this.#restart(entry, again.reason, again.dueAt)
        return true
      case 'handBack':
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

  /** Nothing falls due any more, so that no timer keeps the process alive. */
  close(): void {
    this.#isClosed = true
    this.#timer?.cancel()
  }

  /**
   * Start-time fair queueing: a tenant's keys get consecutive turns, and one that was idle joins at the turn being served.
   * So a tenant with a thousand keys and one with a single key alternate, and nobody waits for ever.
   */
  #nextTurn(tenant = NOBODY): number {
    const turn = Math.max(this.#served, (this.#lastTurn.get(tenant) ?? -1) + 1)
    this.#lastTurn.set(tenant, turn)
    return turn
  }

  #rouse(entry: Entry, reason: WakeReason, dueAt: number, isMoved: boolean): void {
    if (isUserMade(reason)) entry.attempt = 0
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

  #restart(entry: Entry, reason: WakeReason, dueAt: number): void {
    entry.reason = reason
    entry.dueAt = dueAt
    entry.turn = this.#nextTurn(entry.tenant)
    this.#place(entry)
  }

  #place(entry: Entry): void {
    const { turn, dueAt: at, tenant = NOBODY } = entry
    const slot: Slot = { entry, tenant, turn, seq: this.#seq++, at }
    entry.slot = slot
    if (slot.at <= this.#clock.now()) {
      this.#ready[priorityOf(entry.reason)]?.push(slot)
      this.#announce()
    } else {
      this.#delayed.push(slot)
      this.#setTimer()
    }
  }

  #lease(entry: Entry): Claim {
    const fence = ++this.#fence
    entry.lease = { fence, until: this.#clock.now() + this.leaseMs }
    entry.slot = undefined
    this.#leased.add(entry)
    this.#served = Math.max(this.#served, entry.turn)
    const tenant = entry.tenant ?? NOBODY
    if ((this.#lastTurn.get(tenant) ?? 0) < this.#served) this.#lastTurn.delete(tenant)
    return { key: entry.key, reason: entry.reason, tenant: entry.tenant, attempt: entry.attempt, fence }
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
    const now = this.#clock.now()
    for (const entry of this.#leased) {
      if ((entry.lease?.until ?? Infinity) > now) continue
      const reason = entry.wokenAgain ? strongerReason(entry.reason, entry.wokenAgain.reason) : entry.reason
      this.#unlease(entry)
      this.#restart(entry, reason, now)
    }
  }

  #setTimer(): void {
    const next = this.#delayed.peek()
    if (this.#isClosed || next === undefined || (this.#timer && this.#timer.at <= next.at)) return
    this.#timer?.cancel()
    const cancel = this.#clock.after(next.at - this.#clock.now(), () => {
      this.#timer = undefined
      this.#moveDue()
    })
    this.#timer = { cancel, at: next.at }
  }

  #moveDue(): void {
    const now = this.#clock.now()
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
const NOBODY = ''
