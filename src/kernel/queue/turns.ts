/**
 * Start-time fair queueing: a tenant's keys get consecutive turns, and a tenant that was idle joins at the turn being
 * served. So a tenant with a thousand keys and one with a single key alternate, and no tenant starves.
 */
export class Turns {
  /** The last turn given to each tenant, as long as it can be ahead of `#served`. */
  readonly #last = new Map<string, number>()
  /** The turn most recently served. */
  #served = 0

  /** How many tenants are remembered. */
  get size(): number {
    return this.#last.size
  }

  next(tenant: string): number {
    const turn = Math.max(this.#served, (this.#last.get(tenant) ?? -1) + 1)
    this.#last.set(tenant, turn)
    return turn
  }

  serve(turn: number): void {
    this.#served = Math.max(this.#served, turn)
  }

  /**
   * Forgets every tenant without a turn ahead. Serving one turn more first keeps the order: a tenant whose last turn is
   * the one being served gets the same next turn whether it is remembered or not.
   */
  forgetIdle(): void {
    this.#served += 1
    for (const [tenant, turn] of this.#last) if (turn < this.#served) this.#last.delete(tenant)
  }
}
