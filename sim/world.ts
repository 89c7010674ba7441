import { type Queue, type Random, seededRandom, type Service, startAll } from '../src/kernel/index.ts'
import { FakeKubernetes, type AdmissionPlugin } from '../src/kube/fake/index.ts'
import { type Client, type Crd, Event, makeClient, type Transport } from '../src/kube/index.ts'
import { FakePostgresQueue, Notices, Table, type RowChange } from '../src/store/fake/index.ts'
import { Disturbances } from './disturbances.ts'
import { type Faults, mixed, NO_FAULTS } from './faults.ts'
import { Life, type Machine } from './life.ts'
import { KUBERNETES, network, type Server } from './network.ts'
import { overTheWire } from './port.ts'
import { leakIn, StandingLaws } from './standing.ts'
import { Timeline } from './timeline.ts'
import { VirtualClock } from './virtual-clock.ts'

/** What a simulated process gets instead of the real world. */
export interface Ports {
  /** Of this life alone: `runtimes-1#2` is the second life of the first replica. */
  readonly name: string
  readonly clock: Life['clock']
  readonly random: Random
  readonly transport: Transport
  /** The way to another control plane of the world; `inner` is what answers there. @default an administrator's */
  readonly connect: (to: ControlPlane, inner?: Transport) => Transport
  /** A queue that outlives the process, as one in a database does. Its hints can be lost. */
  readonly durableQueue: (name: string) => Queue
  /** Any other port of the world, with the same faults between it and the process. */
  readonly reach: <T extends object>(name: string, port: T, methods: readonly (keyof T & string)[]) => T
  /** Notifications of the world: late, or lost. */
  readonly listen: (notices: Notices, listener: () => void) => () => void
  /** A line for the timeline. */
  readonly note: (what: string) => void
}

export interface User {
  readonly client: Client
  readonly clientOf: (plane: ControlPlane) => Client
  readonly random: Random
  /** Waits, for at most so long. */
  readonly pause: (ms: number) => Promise<void>
  readonly note: (what: string) => void
}

/** An API server of the world besides the platform's own. */
export interface ControlPlane extends Server {
  isDown: boolean
  readonly kubernetes: FakeKubernetes
  readonly standing: StandingLaws
}

/** Anything that is written to: laws are checked when its version changes. */
export interface Observable {
  version(): number
}

export interface WorldOptions {
  readonly seed: number
  readonly faults: Faults
  readonly kinds?: readonly Crd[]
  /** Kinds that another API server would serve itself, as definitions. */
  readonly definitions?: readonly object[]
  readonly namespaces?: readonly string[]
}

interface Process {
  readonly name: string
  readonly program: string
  readonly start: (ports: Ports) => readonly Service[]
  readonly machine: Machine
  life: Life | undefined
  lives: number
  staysDown: boolean
}

/** A simulated control plane with processes and users. The seed determines everything that happens. */
export class World {
  readonly clock = new VirtualClock()
  readonly timeline = new Timeline(() => this.clock.now())
  readonly random: Random
  readonly kubernetes: FakeKubernetes
  /** Without delays and faults, for setting up and checking. */
  readonly client: Client
  readonly standing: StandingLaws
  readonly #queues = new Map<string, FakePostgresQueue>()
  readonly #processes: Process[] = []
  readonly #kinds: readonly Crd[]
  /** Everything that is written to. */
  readonly #stores: Observable[] = []
  /** The part of it that comes to rest. */
  readonly #work: Observable[] = []
  readonly #tables: Pick<Table<object>, 'committed'>[] = []
  readonly #planes: ControlPlane[] = []
  readonly #disturbances: Disturbances
  #faults: Faults
  #admission: AdmissionPlugin = ({ object }) => object
  #busyUsers = 0
  #userError: unknown

  constructor({ seed, faults, kinds = [], definitions = [], namespaces = [] }: WorldOptions) {
    this.random = seededRandom(seed)
    this.#kinds = kinds
    this.#faults = mixed(faults, this.random)
    this.standing = new StandingLaws(() => this.clock.now())
    this.kubernetes = new FakeKubernetes({
      clock: this.clock,
      random: this.random,
      definitions: [...kinds.map(({ manifest }) => manifest), ...definitions],
      namespaces,
      plugin: (write) => this.#admission(write),
    })
    this.client = makeClient(this.kubernetes.transport(), { fieldManager: 'outside' })
    this.#disturbances = new Disturbances(this.clock, this.random, () => this.#faults)
    this.#tend(this.kubernetes)
    this.#repeat(3_000, 15_000, () => this.#disturbances.clogSome(this.#lives()))
  }

  /** Another API server, which processes reach through `ports.connect`. */
  controlPlane(name: string): ControlPlane {
    const { clock, random } = this
    const kubernetes = new FakeKubernetes({ clock, random })
    this.#tend(kubernetes)
    const plane: ControlPlane = { name, kubernetes, standing: this.standing.elsewhere(), isDown: false }
    this.#planes.push(plane)
    return plane
  }

  #tend(kubernetes: FakeKubernetes): void {
    this.#stores.push({ version: () => kubernetes.version })
    this.#work.push({ version: () => kubernetes.versionOfWork })
    this.#repeat(500, 3_000, () => kubernetes.collectGarbage())
    this.#repeat(20_000, 60_000, () => kubernetes.bookmark())
    this.#repeat(5_000, 40_000, () => this.#faults.cut > 0 && kubernetes.compact())
  }

  /** Every object that the API server is to store passes it. */
  admitBy(plugin: AdmissionPlugin): void {
    this.#admission = plugin
  }

  get hasBusyUsers(): boolean {
    return this.#busyUsers > 0
  }

  get userError(): unknown {
    return this.#userError
  }

  /** Changes with every write to any store. */
  get version(): number {
    return total(this.#stores)
  }

  /** Changes with every write, except those that a converged world still makes: renewed Leases, claims, scheduled checks. */
  get versionOfWork(): number {
    return total(this.#work)
  }

  /** A store besides Kubernetes: laws are checked after every write to it, and it has to come to rest. */
  observe(store: Observable): void {
    this.#stores.push(store)
    this.#work.push(store)
  }

  /** A table. Changes that are not work, such as the time of the last check, do not disturb a world at rest. */
  table<R extends object>(isWork: (change: RowChange<R>) => boolean = () => true): Table<R> {
    const table = new Table<R>()
    let works = 0
    table.onChange((change) => void (works += isWork(change) ? 1 : 0))
    this.#tables.push(table)
    this.#stores.push(table)
    this.#work.push({ version: () => works })
    return table
  }

  notices(): Notices {
    return new Notices()
  }

  /** A queue that processes share and that outlives them. */
  queue(name: string, options: { readonly leaseMs?: number } = {}): FakePostgresQueue {
    const known =
      this.#queues.get(name) ??
      new FakePostgresQueue({
        clock: this.clock,
        ...options,
        onClaim: ({ key, fence }) => this.standing.fenced(`${name} ${key.kind}/${key.id}`, fence),
      })
    if (!this.#queues.has(name)) this.#stores.push(known)
    this.#queues.set(name, known)
    return known
  }

  /** The usual value in most seeds, and a rare but legal one in the others. */
  rarely<T>(usual: T, ...rare: readonly T[]): T {
    return this.random() < 0.7 ? usual : (rare[Math.floor(this.random() * rare.length)] ?? usual)
  }

  /** A program that is started, ends where faults say so, and is started again. */
  process(
    program: string,
    start: (ports: Ports) => readonly Service[],
    { replicas = 2 }: { readonly replicas?: number } = {},
  ): void {
    for (let replica = 1; replica <= replicas; replica++) {
      const name = replicas === 1 ? program : `${program}-${replica}`
      const skewMs = this.#faults.step > 0 ? (this.random() - 0.5) * 4_000 : 0
      const process: Process = {
        name,
        program,
        start,
        machine: { skewMs },
        life: undefined,
        lives: 0,
        staysDown: false,
      }
      this.#processes.push(process)
      this.clock.after(this.random() * 1_000, () => this.#begin(process))
      this.#repeat(5_000, 15_000, () => process.life && this.#disturbances.disturb(process.life, process.machine))
    }
  }

  /** A person or program that acts on the control plane. Its calls take time but have no faults. */
  user(name: string, acts: (user: User) => Promise<void>): void {
    const life = this.#life(
      name,
      { skewMs: 0 },
      () => NO_FAULTS,
      () => {},
    )
    const clientOf = (kubernetes: FakeKubernetes, server: Server): Client =>
      makeClient(network(kubernetes.transport(), life, undefined, server), { fieldManager: name })
    const user: User = {
      client: clientOf(this.kubernetes, KUBERNETES),
      clientOf: (plane) => clientOf(plane.kubernetes, plane),
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

  /**
   * Nothing fails from now on, and what is down comes back; in half of the seeds only one replica of each program does,
   * and has to finish alone.
   */
  calm(): void {
    this.timeline.add('world', 'faults end')
    this.#faults = NO_FAULTS
    const isCoreOnly = this.random() < 0.5
    for (const replicas of Map.groupBy(this.#processes, ({ program }) => program).values()) {
      const survivor = Math.floor(this.random() * replicas.length)
      for (const [index, process] of replicas.entries()) {
        if (isCoreOnly && index !== survivor) this.#endForGood(process)
        else if (process.life) this.#disturbances.end(process.life)
      }
    }
  }

  /** The sentinel must be in no status, no Event, no row and no line of the timeline. */
  checkSecrets(): void {
    const statuses = this.#kinds.flatMap((kind) => this.kubernetes.peek(kind).map((object) => ({ ...object, spec: 0 })))
    const rows = this.#tables.flatMap((table) => table.committed())
    const events = [this, ...this.#planes].flatMap(({ kubernetes }) => kubernetes.peek(Event))
    const leak = leakIn(this.timeline.lines, [...events, ...statuses, ...rows])
    if (leak !== undefined) this.standing.break('no secret leaves', `the sentinel is in ${leak}`)
  }

  /** Ends what is left running, so that one run does not affect the next. */
  end(): void {
    for (const { life } of this.#processes) life?.end()
    for (const { kubernetes } of [this, ...this.#planes]) kubernetes.breakWatches()
  }

  #endForGood(process: Process): void {
    this.timeline.add(process.name, 'stays down')
    process.staysDown = true
    process.life?.end()
  }

  #lives(): Life[] {
    return this.#processes.flatMap(({ life }) => (life?.isAlive ? [life] : []))
  }

  #begin(process: Process): void {
    if (process.staysDown) return
    process.lives++
    const name = `${process.name}#${process.lives}`
    const life = this.#life(
      name,
      process.machine,
      () => this.#faults,
      () => {
        this.clock.after(this.random() * 4_000, () => this.#begin(process))
      },
    )
    process.life = life
    this.timeline.add(name, 'starts')
    const ended = (what: string) => (error: unknown) => {
      if (!life.isAlive) return
      this.timeline.add(name, `${what}: ${String(error)}`)
      life.crash()
    }
    const services = process.start(this.#ports(life))
    for (const { name: of, done } of services)
      done.then(() => ended('ends')(new Error(`${of} ended by itself`)), ended('ends'))
    startAll(services).catch(ended('failed to start'))
  }

  #life(name: string, machine: Machine, faults: () => Faults, onCrash: () => void): Life {
    const { clock, random, timeline } = this
    return new Life({ name, clock, machine, random, timeline, faults, onCrash })
  }

  #ports(life: Life): Ports {
    const listen = (notices: Pick<Notices, 'subscribe'>, listener: () => void): (() => void) => {
      let isComing = false
      return notices.subscribe(() => {
        if (isComing || life.happens('lost')) return
        isComing = true
        this.clock.after(life.latency(), () => {
          isComing = false
          life.deliver(listener)
        })
      })
    }
    return {
      name: life.name,
      clock: life.clock,
      random: this.random,
      transport: network(this.kubernetes.transport(), life, this.standing),
      connect: (to, inner = to.kubernetes.transport()) => network(inner, life, to.standing, to),
      durableQueue: (name) => {
        const queue = this.queue(name)
        const wired = overTheWire('queue', queue, life, ['wake', 'claim', 'renew', 'finish'])
        const onReady = (listener: () => void) => listen({ subscribe: (heard) => queue.onReady(heard) }, listener)
        return new Proxy(wired, {
          get: (target, property): unknown => (property === 'onReady' ? onReady : Reflect.get(target, property)),
        })
      },
      reach: (name, port, methods) => overTheWire(name, port, life, methods),
      listen,
      note: (what) => void (life.isAlive && this.timeline.add(life.name, what)),
    }
  }

  #repeat(from: number, to: number, fn: () => unknown): void {
    this.clock.after(from + this.random() * (to - from), () => {
      fn()
      this.#repeat(from, to, fn)
    })
  }
}

function total(stores: readonly Observable[]): number {
  let sum = 0
  for (const store of stores) sum += store.version()
  return sum
}
