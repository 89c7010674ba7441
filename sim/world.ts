import { MemoryQueue, type Queue, type Random, seededRandom, type Service, startAll } from '../src/kernel/index.ts'
import { FakeKubernetes } from '../src/kube/fake/index.ts'
import { type Client, type Crd, makeClient, type Transport } from '../src/kube/index.ts'
import { type Faults, mixed, NO_FAULTS } from './faults.ts'
import { Life } from './life.ts'
import { network } from './network.ts'
import { overTheWire } from './port.ts'
import { Timeline } from './timeline.ts'
import { VirtualClock } from './virtual-clock.ts'

/** What a simulated process gets instead of the real world. */
export interface Ports {
  readonly clock: Life['clock']
  readonly random: Random
  readonly transport: Transport
  /** A queue that outlives the process, as one in a database does. */
  readonly durableQueue: (name: string) => Queue
  /** Any other port of the world, with the same faults between it and the process. */
  readonly reach: <T extends object>(name: string, port: T, methods: readonly (keyof T & string)[]) => T
  /** A line for the timeline. */
  readonly note: (what: string) => void
}

export interface User {
  readonly client: Client
  readonly random: Random
  /** Waits, for at most so long. */
  readonly pause: (ms: number) => Promise<void>
  readonly note: (what: string) => void
}

export interface WorldOptions {
  readonly seed: number
  readonly faults: Faults
  readonly kinds?: readonly Crd[]
  readonly namespaces?: readonly string[]
}

interface Process {
  readonly name: string
  readonly start: (ports: Ports) => readonly Service[]
  life: Life | undefined
  lives: number
}

/** A small cluster with its processes and its users, in which everything that happens follows from one number. */
export class World {
  readonly clock = new VirtualClock()
  readonly timeline = new Timeline(() => this.clock.now())
  readonly random: Random
  readonly kubernetes: FakeKubernetes
  /** From outside: no delay, no fault. For setting the scene and for looking at it. */
  readonly client: Client
  readonly #queues = new Map<string, MemoryQueue>()
  readonly #processes: Process[] = []
  #faults: Faults
  #busyUsers = 0
  #userError: unknown

  constructor({ seed, faults, kinds = [], namespaces = [] }: WorldOptions) {
    this.random = seededRandom(seed)
    this.#faults = mixed(faults, this.random)
    this.kubernetes = new FakeKubernetes({
      clock: this.clock,
      random: this.random,
      definitions: kinds.map(({ manifest }) => manifest),
      namespaces,
    })
    this.client = makeClient(this.kubernetes.transport(), { fieldManager: 'outside' })
    this.#repeat(500, 3_000, () => this.kubernetes.collectGarbage())
    this.#repeat(20_000, 60_000, () => this.kubernetes.bookmark())
    this.#repeat(5_000, 40_000, () => this.#faults.cut > 0 && this.kubernetes.compact())
  }

  get hasBusyUsers(): boolean {
    return this.#busyUsers > 0
  }

  get userError(): unknown {
    return this.#userError
  }

  /** A program that is started, crashes where faults say so, and is started again. */
  process(name: string, start: (ports: Ports) => readonly Service[]): void {
    const process: Process = { name, start, life: undefined, lives: 0 }
    this.#processes.push(process)
    this.clock.after(this.random() * 1_000, () => this.#begin(process))
  }

  /** Somebody who acts on the cluster. Their calls take time but do not fail by themselves. */
  user(name: string, acts: (user: User) => Promise<void>): void {
    const life = this.#life(
      name,
      () => NO_FAULTS,
      () => {},
    )
    const user: User = {
      client: makeClient(network(this.kubernetes.transport(), life), { fieldManager: name }),
      random: this.random,
      pause: (ms) => new Promise((resolve) => void this.clock.after(this.random() * ms, resolve)),
      note: (what) => this.timeline.add(name, what),
    }
    this.#busyUsers++
    const run = async (): Promise<void> => {
      await user.pause(2_000)
      await acts(user)
    }
    run()
      .catch((error: unknown) => (this.#userError ??= error))
      .finally(() => this.#busyUsers--)
  }

  /** Nothing fails from now on, and what is down comes back. */
  calm(): void {
    this.timeline.add('world', 'faults end')
    this.#faults = NO_FAULTS
  }

  /** Ends what is left running, so that one run does not live on in the next. */
  end(): void {
    for (const { life } of this.#processes) life?.end()
    this.kubernetes.breakWatches()
  }

  #begin(process: Process): void {
    process.lives++
    const name = `${process.name}#${process.lives}`
    const life = this.#life(
      name,
      () => this.#faults,
      () => {
        this.clock.after(this.random() * 4_000, () => this.#begin(process))
      },
    )
    process.life = life
    this.timeline.add(name, 'starts')
    startAll(process.start(this.#ports(life))).catch((error: unknown) => {
      this.timeline.add(name, `failed to start: ${String(error)}`)
      if (life.isAlive) life.crash()
    })
  }

  #life(name: string, faults: () => Faults, onCrash: () => void): Life {
    return new Life({ name, clock: this.clock, random: this.random, timeline: this.timeline, faults, onCrash })
  }

  #ports(life: Life): Ports {
    return {
      clock: life.clock,
      random: this.random,
      transport: network(this.kubernetes.transport(), life),
      durableQueue: (name) =>
        overTheWire(`queue ${name}`, this.#queue(name), life, ['wake', 'claim', 'renew', 'finish']),
      reach: (name, port, methods) => overTheWire(name, port, life, methods),
      note: (what) => void (life.isAlive && this.timeline.add(life.name, what)),
    }
  }

  #queue(name: string): MemoryQueue {
    const known = this.#queues.get(name) ?? new MemoryQueue({ clock: this.clock })
    this.#queues.set(name, known)
    return known
  }

  #repeat(from: number, to: number, fn: () => unknown): void {
    this.clock.after(from + this.random() * (to - from), () => {
      fn()
      this.#repeat(from, to, fn)
    })
  }
}
