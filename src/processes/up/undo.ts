/** Steps that run in reverse order at the end. The failure of one does not keep the others from running. */
export class Undo {
  readonly #steps: (() => Promise<unknown>)[] = []

  add(step: () => Promise<unknown>): void {
    this.#steps.push(step)
  }

  async all(onError: (error: unknown) => void): Promise<void> {
    for (const step of this.#steps.splice(0).toReversed()) await step().catch(onError)
  }
}
