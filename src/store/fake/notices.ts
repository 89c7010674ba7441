/** Notifications as LISTEN and NOTIFY give them: without content that counts, and without a promise of delivery. */
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
