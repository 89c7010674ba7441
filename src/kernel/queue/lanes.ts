import { Heap } from './heap.ts'

/** A place in the order of what waits. */
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
 * What is ready to run, a lane for every tenant. The first of all is taken in the logarithm of the tenants, and one that has had
 * its share is passed over in a single step, however much it has waiting.
 */
export class Lanes<P extends Placed> {
  readonly #lanes = new Map<string, Lane<P>>()
  /** The first of each lane; an entry whose place is no longer the first of its lane is a leftover. */
  readonly #firsts = new Heap<{ readonly lane: Lane<P>; readonly first: P }>((a, b) => comesFirst(a.first, b.first))
  readonly #isCurrent: (place: P) => boolean

  /** Places that are not current any more are dropped when their turn comes. */
  constructor(isCurrent: (place: P) => boolean) {
    this.#isCurrent = isCurrent
  }

  push(place: P): void {
    const { tenant } = place
    const lane = this.#lanes.get(tenant) ?? { tenant, waiting: new Heap<P>(comesFirst) }
    this.#lanes.set(tenant, lane)
    lane.waiting.push(place)
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

  #advance(lane: Lane<P>): void {
    lane.waiting.pop()
    this.#show(lane)
  }

  #show(lane: Lane<P>): void {
    const first = lane.waiting.peek()
    if (first === undefined) this.#lanes.delete(lane.tenant)
    else this.#firsts.push({ lane, first })
  }
}
