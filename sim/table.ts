/** Rows by id, as a transaction sees them. */
export interface Rows<R> {
  get(id: string): R | undefined
  list(): R[]
  put(id: string, row: R): void
  remove(id: string): void
}

/** Somebody else committed a change of a row that this transaction had read or written. */
export class SerializationError extends Error {
  override readonly name = 'SerializationError'
}

interface Stored<R> {
  readonly row: R | undefined
  readonly version: number
}

/** A table in memory with transactions: all or nothing, and as if one after the other. */
export class Table<R> {
  readonly #rows = new Map<string, Stored<R>>()
  #version = 0

  /** What is committed, for looking at the world from outside. */
  committed(): R[] {
    return [...this.#rows.values()].flatMap(({ row }) => (row === undefined ? [] : [structuredClone(row)]))
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
      get: (id) => structuredClone(read(id)),
      list: () => {
        listed = true
        const ids = new Set([...this.#rows.keys(), ...written.keys()])
        return [...ids].toSorted().flatMap((id) => structuredClone(read(id)) ?? [])
      },
      put: (id, row) => void written.set(id, structuredClone(row)),
      remove: (id) => void written.set(id, undefined),
    })
    const changed = [...this.#rows].filter(([, { version }]) => version > began).map(([id]) => id)
    const overlap = changed.find((id) => listed || seen.has(id) || written.has(id))
    if (overlap !== undefined) throw new SerializationError(`row ${overlap} was changed by another transaction`)
    if (written.size > 0) this.#version++
    for (const [id, row] of written) this.#rows.set(id, { row, version: this.#version })
    return answer
  }
}
