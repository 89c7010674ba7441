import { Heap } from './heap.ts'

/** A place in the order of waiting keys. */
export interface Placed {
  readonly tenant: string
  readonly turn: number
  /** Order of arrival; settles ties. */
  readonly seq: number
}

export const comesFirst = (a: Placed, b: Placed): boolean => a.turn < b.turn || (a.turn === b.turn && a.seq < b.seq)

interface Lane<P extends Placed> {
  readonly tenant: string
  readonly waiting: Heap<P>
}

/**
 * Places that are ready, one lane per tenant. Taking the first is O(log tenants); a tenant over its share is skipped in
 * one step, however many places it has.
 */
export class Lanes<P extends Placed> {
  readonly #lanes = new Map<string, Lane<P>>()
  /** The first of each lane. Stale entries, whose place is no longer the first, are dropped when they are popped. */
  readonly #firsts = new Heap<{ readonly lane: Lane<P>; readonly first: P }>((a, b) => comesFirst(a.first, b.first))
  readonly #isCurrent: (place: P) => boolean
  #size = 0

  /** Places that are no longer current are dropped when their turn comes, or by `sweep`. */
  constructor(isCurrent: (place: P) => boolean) {
    this.#isCurrent = isCurrent
  }

  /** All places, those that are no longer current included. */
  get size(): number {
    return this.#size
  }

  push(place: P): void {
    const { tenant } = place
    const lane = this.#lanes.get(tenant) ?? { tenant, waiting: new Heap<P>(comesFirst) }
    this.#lanes.set(tenant, lane)
    lane.waiting.push(place)
    this.#size += 1
    if (lane.waiting.peek() === place) this.#firsts.push({ lane, first: place })
  }

  /** Takes places in order, of tenants that still may, until `enough`. */
  take(mayRun: (tenant: string) => boolean, enough: () => boolean, taken: (place: P) => void): void {
    const passedOver: Lane<P>[] = []
    while (!enough()) {
      const next = this.#firsts.pop()
      if (next === undefined) break
      const { lane, first } = next
      if (lane.waiting.peek() !== first) continue
      if (!this.#isCurrent(first)) {
        this.#advance(lane)
      } else if (mayRun(lane.tenant)) {
        this.#advance(lane)
        taken(first)
      } else {
        passedOver.push(lane)
      }
    }
    for (const lane of passedOver) this.#show(lane)
  }

  sweep(): void {
    this.#firsts.keep(() => false)
    this.#size = 0
    for (const lane of this.#lanes.values()) {
      lane.waiting.keep(this.#isCurrent)
      this.#size += lane.waiting.size
      this.#show(lane)
    }
  }

  #advance(lane: Lane<P>): void {
    lane.waiting.pop()
    this.#size -= 1
    this.#show(lane)
  }

  #show(lane: Lane<P>): void {
    const first = lane.waiting.peek()
    if (first === undefined) this.#lanes.delete(lane.tenant)
    else this.#firsts.push({ lane, first })
  }
}
