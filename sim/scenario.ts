import { messageOf } from '../src/kernel/index.ts'
import type { Crd } from '../src/kube/index.ts'
import { collectableSignals } from './abort-signals.ts'
import { ALL_FAULTS, type Faults } from './faults.ts'
import { World } from './world.ts'

/** What is wrong with the world, or undefined. */
export type Law = (world: World) => string | undefined

export interface Scenario {
  readonly name: string
  readonly kinds?: readonly Crd[]
  /** Kinds that another API server would serve itself, as definitions. */
  readonly definitions?: readonly object[]
  readonly namespaces?: readonly string[]
  /** @default all of them */
  readonly faults?: Faults
  /** How long things go wrong, in virtual time. @default 40_000 */
  readonly faultsMs?: number
  /** How long the world may take afterwards to become right and still. @default 600_000 */
  readonly convergeMs?: number
  /** How long nothing may be written for the world to count as still. @default 90_000 */
  readonly stillMs?: number
  /** Adds processes and users. Laws are made here as well, so that they may remember things. */
  readonly setup: (world: World) => Laws
}

export interface Laws {
  /** Checked after every write to any store. */
  readonly always: Readonly<Record<string, Law>>
  /** Checked when the world has come to rest. */
  readonly eventually: Readonly<Record<string, Law>>
}

export interface Verdict {
  readonly scenario: string
  readonly seed: number
  /** The law that was broken, and how. Absent: none was. */
  readonly broken?: { readonly law: string; readonly how: string }
  readonly timeline: readonly string[]
}

/** Runs one seed to its end. The same seed gives the same verdict and the same timeline. */
export async function run(scenario: Scenario, seed: number): Promise<Verdict> {
  // The virtual clock never gives the event loop a turn, so the timers of a test runner get theirs here.
  await new Promise((resolve) => void setImmediate(resolve))
  const { kinds = [], definitions = [], namespaces = [], faults = ALL_FAULTS } = scenario
  const restoreSignals = collectableSignals()
  const world = new World({ seed, faults, kinds, definitions, namespaces })
  const laws = scenario.setup(world)
  try {
    const broken = await new Run(world, laws, scenario).toTheEnd()
    if (broken !== undefined) world.timeline.add('world', `BROKEN  ${broken.law}: ${broken.how}`)
    return { scenario: scenario.name, seed, ...(broken && { broken }), timeline: [...world.timeline.lines] }
  } finally {
    world.end()
    restoreSignals()
  }
}

type Broken = NonNullable<Verdict['broken']>

class Run {
  readonly #world: World
  readonly #laws: Laws
  readonly #scenario: Scenario
  #version = 0
  #versionOfWork = 0
  /** When something was last written, apart from what is written in a world at rest. */
  #movedAt = 0

  constructor(world: World, laws: Laws, scenario: Scenario) {
    this.#world = world
    this.#laws = laws
    this.#scenario = scenario
  }

  async toTheEnd(): Promise<Broken | undefined> {
    const { faultsMs = 40_000, convergeMs = 600_000, stillMs = 90_000 } = this.#scenario
    const { clock } = this.#world
    const broken = await this.#until(clock.now() + faultsMs, () => false)
    if (broken !== undefined) return broken
    this.#world.calm()
    this.#movedAt = clock.now()
    const isStill = (): boolean => !this.#world.hasBusyUsers && clock.now() - this.#movedAt >= stillMs
    const late = await this.#until(clock.now() + convergeMs, isStill)
    if (late !== undefined) return late
    if (!isStill())
      return {
        law: 'the world comes to rest',
        how: `something was still written ${convergeMs / 1000} s after faults ended`,
      }
    this.#world.checkSecrets()
    return this.#world.standing.broken ?? firstBroken(this.#laws.eventually, this.#world)
  }

  async #until(end: number, isEnough: () => boolean): Promise<Broken | undefined> {
    const { clock, standing } = this.#world
    while (!isEnough() && (await clock.step(end))) {
      if (this.#world.userError !== undefined)
        return { law: 'users get what they ask for', how: messageOf(this.#world.userError) }
      if (standing.broken !== undefined) return standing.broken
      const { version } = this.#world
      if (version === this.#version) continue
      this.#version = version
      const { versionOfWork } = this.#world
      if (versionOfWork !== this.#versionOfWork) this.#movedAt = clock.now()
      this.#versionOfWork = versionOfWork
      const broken = firstBroken(this.#laws.always, this.#world)
      if (broken !== undefined) return broken
    }
    return undefined
  }
}

function firstBroken(laws: Readonly<Record<string, Law>>, world: World): Broken | undefined {
  for (const [law, check] of Object.entries(laws)) {
    const how = check(world)
    if (how !== undefined) return { law, how }
  }
  return undefined
}

export interface Exploration {
  readonly seeds: number
  /** The first seed that broke a law; the exploration ends there. */
  readonly found?: Verdict
}

export interface ExploreOptions {
  readonly seeds: number
  /** @default 1 */
  readonly from?: number
  /** Called after each seed that broke no law, with the number of seeds so far. */
  readonly onSeed?: (ran: number) => void
}

export async function explore(
  scenario: Scenario,
  { seeds, from = 1, onSeed = () => {} }: ExploreOptions,
): Promise<Exploration> {
  const { stackTraceLimit } = Error
  // No error of a search is printed with its stack, and many errors are part of a run.
  Error.stackTraceLimit = 0
  try {
    for (let seed = from; seed < from + seeds; seed++) {
      const verdict = await run(scenario, seed)
      if (verdict.broken !== undefined) return { seeds: seed - from + 1, found: verdict }
      onSeed(seed - from + 1)
    }
    return { seeds }
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** What to read, and what to type to see it again. */
export function report({ scenario, seed, broken, timeline }: Verdict, lines = 80): string {
  const left = timeline.length - lines
  return [
    `seed ${seed} of ${scenario} broke a law: ${broken?.law ?? 'none'}: ${broken?.how ?? ''}`,
    `replay it: npm run sim -- --scenario ${scenario} --seed ${seed}`,
    ...(left > 0 ? [`  … ${left} lines before (--lines ${timeline.length} shows all)`] : []),
    ...timeline.slice(-lines),
  ].join('\n')
}
