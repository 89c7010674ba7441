interface Entry<Item, Answer> {
  readonly item: Item
  readonly answer: PromiseWithResolvers<Answer>
}

/**
 * Returns the answers in the order of the items. An answer may be a promise, which can fail for its item
 * alone.
 */
type Run<Item, Answer> = (items: readonly Item[]) => Promise<readonly (Answer | Promise<Answer>)[]>

export interface BatchOptions {
  /** Most items in one statement. @default 500 */
  readonly max?: number
  /** Most statements under way at once. @default 2 */
  readonly lanes?: number
}

/**
 * Group commit: calls made in the same turn of the event loop, or while a statement is under way, share the
 * next one. A single call starts its statement at once.
 *
 * When `run` fails, all its items fail with the same error.
 */
export class Batch<Item, Answer> {
  readonly #run: Run<Item, Answer>
  readonly #max: number
  readonly #lanes: number
  #waiting: Entry<Item, Answer>[] = []
  #underWay = 0
  #scheduled = false

  constructor(run: Run<Item, Answer>, { max = 500, lanes = 2 }: BatchOptions = {}) {
    this.#run = run
    this.#max = max
    this.#lanes = lanes
  }

  add(item: Item): Promise<Answer> {
    const answer = Promise.withResolvers<Answer>()
    this.#waiting.push({ item, answer })
    this.#schedule()
    return answer.promise
  }

  #schedule(): void {
    if (this.#scheduled || this.#underWay >= this.#lanes || this.#waiting.length === 0) return
    this.#scheduled = true
    // Runs after the promises of this turn have settled and before the next phase of the event loop.
    process.nextTick(() => {
      this.#scheduled = false
      void this.#flush()
    })
  }

  async #flush(): Promise<void> {
    const entries = this.#waiting.splice(0, this.#max)
    this.#underWay += 1
    try {
      const answers = await this.#run(entries.map(({ item }) => item))
      entries.forEach(({ answer }, i) => answer.resolve(answers[i] as Answer))
    } catch (error) {
      for (const { answer } of entries) answer.reject(error)
    } finally {
      this.#underWay -= 1
      this.#schedule()
    }
  }
}
