import type { Clock } from '../clock.ts'
import { priorityOf, type WakeReason } from '../key.ts'
import { Heap } from './heap.ts'
import { Lanes, type Placed } from './lanes.ts'

/** An entry of a queue, as far as its place in line depends on it. */
export interface Waiter {
  readonly reason: WakeReason
  readonly tenant: string | undefined
  readonly dueAt: number
  /** Place among the entries of equal priority. */
  readonly turn: number
  /** The one slot through which this entry may be taken; replaced ones are stale. */
  slot: object | undefined
}

/** A place in a heap. Immutable: reordering an item in place would corrupt the heap. */
interface Slot<W extends Waiter> extends Placed {
  readonly entry: W
  readonly at: number
}

/** Keys without a tenant share the turns of this one. */
export const NO_TENANT = ''

/**
 * The order in which entries are taken. Due ones wait in lanes by priority, delayed ones in a heap with one timer for
 * the earliest, so that placing and taking are O(log entries).
 */
export class WaitingLine<W extends Waiter> {
  readonly #clock: Clock
  readonly #onDue: () => void
  readonly #due: readonly Lanes<Slot<W>>[] = [0, 1, 2].map(() => new Lanes<Slot<W>>(isCurrent))
  readonly #delayed = new Heap<Slot<W>>((a, b) => a.at < b.at)
  #seq = 0
  #timer: { cancel: () => void; at: number } | undefined
  #isClosed = false

  /** `onDue` is called when an entry has become due. */
  constructor(clock: Clock, onDue: () => void) {
    this.#clock = clock
    this.#onDue = onDue
  }

  /** The number of slots, stale ones included. */
  get size(): number {
    let slots = this.#delayed.size
    for (const lanes of this.#due) slots += lanes.size
    return slots
  }

  /** Gives the entry a slot by its present reason, tenant, turn and due time. */
  place(entry: W): void {
    const { turn, dueAt: at, tenant = NO_TENANT } = entry
    const slot: Slot<W> = { entry, tenant, turn, seq: this.#seq++, at }
    entry.slot = slot
    if (slot.at <= this.#clock.elapsed()) {
      this.#due[priorityOf(entry.reason)]?.push(slot)
      this.#onDue()
    } else {
      this.#delayed.push(slot)
      this.#setTimer()
    }
  }

  /** Takes due entries in order, of tenants that still may, until `enough`. */
  take(mayRun: (tenant: string) => boolean, enough: () => boolean, taken: (entry: W, tenant: string) => void): void {
    for (const lanes of this.#due) {
      lanes.take(mayRun, enough, ({ entry, tenant }) => {
        entry.slot = undefined
        taken(entry, tenant)
      })
    }
  }

  /** Removes stale slots. */
  sweep(): void {
    this.#delayed.keep(isCurrent)
    for (const lanes of this.#due) lanes.sweep()
  }

  /** Cancels the timer of delayed entries. */
  close(): void {
    this.#isClosed = true
    this.#timer?.cancel()
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
      if (isCurrent(next)) this.#due[priorityOf(next.entry.reason)]?.push(next)
    }
    this.#onDue()
    this.#setTimer()
  }
}

const isCurrent = <W extends Waiter>(slot: Slot<W>): boolean => slot.entry.slot === slot
