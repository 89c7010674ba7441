/** Notifications as with LISTEN and NOTIFY: the payload carries no state, and delivery is not guaranteed. */
export class Notices {
  readonly #listeners = new Set<() => void>()

  publish(): void {
    for (const listener of this.#listeners) listener()
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}
