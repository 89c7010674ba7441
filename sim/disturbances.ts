import type { Clock, Random } from '../src/kernel/index.ts'
import type { Faults } from './faults.ts'
import type { Life, Machine } from './life.ts'

/** The faults that last: pauses, partitions, clogged connections, and clocks that step. */
export class Disturbances {
  readonly #clock: Clock
  readonly #random: Random
  readonly #faults: () => Faults

  constructor(clock: Clock, random: Random, faults: () => Faults) {
    this.#clock = clock
    this.#random = random
    this.#faults = faults
  }

  /** To be called about every ten seconds of a process. */
  disturb(life: Life, machine: Machine): void {
    if (!life.isAlive) return
    if (life.happens('pause')) life.pauseForAWhile()
    if (life.happens('partition')) this.#partition(life)
    if (life.happens('step')) this.#step(life, machine)
  }

  /** Clogs some connections one by one, and releases them one by one in another order. */
  clogSome(lives: readonly Life[]): void {
    const chance = this.#faults().clog
    if (chance === 0 || this.#random() >= chance * 2) return
    const links = lives.flatMap((life) => life.links).filter(() => this.#random() < 0.5)
    for (const link of links) {
      this.#clock.after(this.#random() * 5_000, () => this.#faults().clog > 0 && link.set('clogged'))
      this.#clock.after(5_000 + this.#random() * 25_000, () => link.set('open'))
    }
  }

  /** Ends what lasts. */
  end(life: Life): void {
    life.resume()
    for (const link of life.links) link.set('open')
  }

  #partition(life: Life): void {
    const { links } = life
    const link = links[Math.floor(this.#random() * links.length)]
    if (link === undefined) return
    link.set('partitioned')
    this.#clock.after(3_000 + this.#random() * 57_000, () => link.set('open'))
  }

  #step(life: Life, machine: Machine): void {
    const ms = (this.#random() - 0.5) * (this.#random() < 0.5 ? 4_000 : 120_000)
    life.timeline.add(life.name, `clock steps by ${(ms / 1000).toFixed(1)} s`)
    machine.skewMs += ms
  }
}
