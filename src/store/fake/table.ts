/** Rows by id, as a transaction sees them. */
export interface Rows<R> {
  get(id: string): R | undefined
  list(): R[]
  put(id: string, row: R): void
  remove(id: string): void
}

/** Another transaction committed a change of a row that this one had read or written. */
export class SerializationError extends Error {
  override readonly name = 'SerializationError'
}

export interface RowChange<R> {
  readonly id: string
  readonly before: R | undefined
  readonly after: R | undefined
}

/** Runs in the transaction, once per changed row, before it commits. What it throws rolls everything back. */
export type Trigger<R> = (change: RowChange<R>) => void

interface Stored<R> {
  readonly row: R | undefined
  readonly version: number
}

/**
 * A table in memory with serializable transactions and triggers.
 *
 * Rows are frozen when they are put, so that readers share them without copies.
 */
export class Table<R extends object> {
  readonly #rows = new Map<string, Stored<R>>()
  readonly #triggers: Trigger<R>[] = []
  #version = 0

  /** Grows with every commit that changed something. */
  version(): number {
    return this.#version
  }

  /** What is committed. */
  committed(): R[] {
    return [...this.#rows.values()].flatMap(({ row }) => (row === undefined ? [] : [row]))
  }

  onChange(trigger: Trigger<R>): void {
    this.#triggers.push(trigger)
  }

  async inTransaction<A>(work: (rows: Rows<R>) => Promise<A>): Promise<A> {
    const began = this.#version
    const seen = new Set<string>()
    const written = new Map<string, R | undefined>()
    let listed = false
    const read = (id: string): R | undefined => {
      seen.add(id)
      return written.has(id) ? written.get(id) : this.#rows.get(id)?.row
    }
    const answer = await work({
      get: read,
      list: () => {
        listed = true
        const ids = new Set([...this.#rows.keys(), ...written.keys()])
        return [...ids].toSorted().flatMap((id) => read(id) ?? [])
      },
      put: (id, row) => void written.set(id, frozen(structuredClone(row))),
      remove: (id) => void written.set(id, undefined),
    })
    const changed = [...this.#rows].filter(([, { version }]) => version > began).map(([id]) => id)
    const overlap = changed.find((id) => listed || seen.has(id) || written.has(id))
    if (overlap !== undefined) throw new SerializationError(`row ${overlap} was changed by another transaction`)
    for (const [id, after] of written)
      for (const trigger of this.#triggers) trigger({ id, before: this.#rows.get(id)?.row, after })
    if (written.size > 0) this.#version++
    for (const [id, row] of written) this.#rows.set(id, { row, version: this.#version })
    return answer
  }
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const below of Object.values(value)) frozen(below)
  return Object.freeze(value)
}
