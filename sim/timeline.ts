/** What happened in a run, in order. Two runs of a seed have identical timelines. */
export class Timeline {
  readonly #lines: string[] = []
  readonly #now: () => number
  readonly #start: number

  constructor(now: () => number) {
    this.#now = now
    this.#start = now()
  }

  add(who: string, what: string): void {
    const seconds = ((this.#now() - this.#start) / 1000).toFixed(3).padStart(9)
    this.#lines.push(`${seconds}s  ${who.padEnd(12)}  ${what}`)
  }

  get lines(): readonly string[] {
    return this.#lines
  }
}
