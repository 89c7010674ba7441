import { describe, expect, it } from 'vitest'
import { recorded } from '../../../test/support/replay.ts'
import { expectNoSentinel, SENTINEL } from '../../../test/support/sentinel.ts'
import { replay } from '../../kernel/index.ts'
import type { Deployment } from '../../kube/index.ts'
import type { ClassRuntimeSpec } from './class-runtime.ts'
import { decide } from './decide.ts'
import { DEPLOYMENT, fn, pod, SERVICE, statusOf, text } from './fake/cart.ts'
import {
  deleted,
  failure,
  later,
  looking,
  play,
  rewritten,
  rolledOut,
  SETTINGS,
  worldOf,
  withChild,
  without,
  type Fate,
  type World,
} from './fake/world.ts'
import { conditionOf, degradedBy } from './judge/phase.ts'
import { refText } from './judge/child-health.ts'
import { hiding } from './masking.ts'
import { replays } from './replay.ts'
import type { Action, ObservedChild } from './types.ts'

/*
 * Every state that the machine can get into with a small cluster, by every order of what may happen to it, and what must
 * hold in each of them. Time goes in steps that are longer than every timeout, so that an instant is either now or long ago.
 */

const STEP_MS = 1_000_000
const settings = { ...SETTINGS, nfr: { ...SETTINGS.nfr, maxAgeMs: Number.MAX_SAFE_INTEGER } }

/** What the cluster does with our calls, as long as that lasts. */
const FATES = {
  well: () => undefined,
  conflict: (action: Action) =>
    text(action) === 'apply Deployment/cart--checkout'
      ? { ...failure('KubeFieldConflict', true), conflicts: [{ manager: 'kubectl', field: '.spec.replicas' }] }
      : undefined,
  invalid: (action: Action) => (action.do === 'apply' ? failure('KubeInvalid', false) : undefined),
  unreachable: () => failure('KubeUnreachable', true),
  unscalable: (action: Action) => (action.do === 'enforce' ? failure('RuntimeEnforceFailed', true) : undefined),
} as const satisfies Record<string, Fate>

interface Explored {
  readonly world: World
  readonly fate: keyof typeof FATES
}

const run = ({ world, fate }: Explored): Explored => ({ world: play(world, settings, FATES[fate]).world, fate })
const isGoing = ({ seen }: World): boolean => seen.runtime.metadata.deletionTimestamp !== undefined
const isGone = (world: World): boolean => isGoing(world) && (world.seen.runtime.metadata.finalizers ?? []).length === 0
const healthy = (world: World): World =>
  looking(rolledOut(world), { pods: [], children: rolledOut(world).seen.children.filter(({ deleting }) => !deleting) })

const SPEC: ClassRuntimeSpec = {
  selected_template: 'k8s_deployment',
  addons: [],
  functions: [{ ...fn('checkout'), config: { PASSWORD: SENTINEL, MODE: 'on', A9: 'z' } }],
}

/** Everything that may happen. A run follows each time. */
const MOVES = {
  'nothing happens': (world: World) => world,
  'time passes': (world: World) => later(world, STEP_MS),
  'everything starts': healthy,
  'everything stops': (world: World) =>
    looking(
      rolledOut(world, () => 0),
      { pods: [] },
    ),
  'a container crashes': (world: World) =>
    looking(
      rolledOut(world, () => 0),
      { pods: [pod({ waiting: 'CrashLoopBackOff', restarts: 4 })] },
    ),
  'it runs until it crashes again': (world: World) =>
    looking(rolledOut(world), { pods: [pod({ ready: true, restarts: 5, startedAt: world.now })] }),
  'the Deployment is deleted': (world: World) => without(world, DEPLOYMENT),
  'the Service is deleted': (world: World) => without(world, SERVICE),
  'the Deployment is held in its deletion': (world: World) =>
    withChild(world, DEPLOYMENT, (child) => ({ ...child, deleting: true })),
  'another image is asked for': (world: World) =>
    onceMore(world, { ...SPEC, functions: [fn('checkout', 'checkout:2')] }),
  'another template is asked for': (world: World) => onceMore(world, { ...SPEC, selected_template: 'knative' }),
  'more replicas are recommended': (world: World) => {
    const { runtime } = world.seen
    const recommendation = { value: 3, at: new Date(world.now).toISOString(), confidence: 1, basis: '300 rps' }
    const status = { ...runtime.status, nfr_recommendations: { 'replicas/checkout': recommendation } }
    return looking(world, { runtime: { ...runtime, status } })
  },
  'enforcement is turned off': (world: World) => onceMore(world, { ...SPEC, enforcement: { mode: 'off' } }),
  'it is deleted': (world: World) => (isGoing(world) ? world : deleted(world)),
} as const
type Move = keyof typeof MOVES

const onceMore = (world: World, spec: ClassRuntimeSpec): World =>
  world.seen.runtime.metadata.generation === 1 ? rewritten(world, spec) : world

const isReady = ({ object }: ObservedChild): boolean => {
  const { spec, status } = object as Deployment
  const { replicas = 1 } = spec ?? {}
  const { observedGeneration, availableReplicas = 0, conditions = [] } = status ?? {}
  const isKnative = conditions.some((one) => one.status === 'True')
  return observedGeneration === object.metadata.generation && (isKnative || availableReplicas >= replicas)
}

/** Two worlds with the same name cannot be told apart by any decision: it is all that a decision depends upon. */
function nameOf({ world: { seen, now }, fate }: Explored): string {
  const { metadata, spec, status = {} } = seen.runtime
  const isOver = metadata.deletionTimestamp !== undefined
  const ageOf = (time = '') => Math.sign(Math.floor((now - Date.parse(time)) / STEP_MS))
  const progressing = conditionOf(status, 'Progressing')
  const degraded = degradedBy(status)
  const nfr = status.nfr_state?.['replicas/checkout']
  const children = seen.children.map((child) =>
    JSON.stringify([
      child.kind,
      child.deleting,
      isOver || [child.object.metadata.annotations, (child.object as Deployment).spec?.replicas, isReady(child)],
    ]),
  )
  const told = [
    status.phase,
    status.observed_generation === metadata.generation,
    degraded && [degraded.reason, degraded.observedGeneration === metadata.generation],
    progressing?.status === 'True' && [progressing.observedGeneration, ageOf(progressing.lastTransitionTime)],
    nfr && [nfr.target, nfr.applied, nfr.failure?.reason],
    nfr && [nfr.since, nfr.cooldown_until, nfr.failure?.retry_at].map(ageOf),
    status.nfr_recommendations !== undefined,
    seen.pods.map(({ containers }) => containers.map((one) => [one.waiting, one.startedAt === now])),
  ]
  const wanted = [metadata.generation, spec]
  return JSON.stringify([fate, metadata.finalizers, isOver, children.toSorted(), isOver || [wanted, told]])
}

function explore(spec: ClassRuntimeSpec, moves: readonly Move[], fates: readonly Explored['fate'][]): Explored[] {
  const { seen } = worldOf(spec)
  const world = looking(worldOf(spec), { served: [...seen.served, 'KnativeService'] })
  const found = new Map<string, Explored>()
  const open: Explored[] = [{ world, fate: 'well' }]
  for (let explored = open.pop(); explored !== undefined; explored = open.pop()) {
    const { world: here, fate } = explored
    const nexts = [
      ...moves.map((move) => ({ world: MOVES[move](here), fate })),
      ...fates.filter((other) => other !== fate).map((other) => ({ world: here, fate: other })),
    ]
    for (const next of nexts.map(run)) {
      const name = nameOf(next)
      if (isGone(next.world) || found.has(name)) continue
      found.set(name, next)
      open.push(next)
    }
  }
  return [...found.values()]
}

const lifecycle = explore(
  SPEC,
  (Object.keys(MOVES) as Move[]).filter(
    (move) => move !== 'more replicas are recommended' && move !== 'enforcement is turned off',
  ),
  ['well', 'conflict', 'invalid', 'unreachable'],
)
const enforced = explore(
  { ...SPEC, enforcement: { mode: 'enforce' } },
  [
    'nothing happens',
    'time passes',
    'everything starts',
    'everything stops',
    'more replicas are recommended',
    'the Deployment is deleted',
    'another image is asked for',
    'enforcement is turned off',
    'it is deleted',
  ],
  ['well', 'unscalable', 'unreachable'],
)

const where = ({ world }: Explored): string => {
  const status = statusOf(world)
  return [status.phase, degradedBy(status)?.reason].filter(Boolean).join('/')
}

/** What becomes of a world: the phases that it goes through, each once as long as it lasts. */
function pathOf(explored: Explored, step: (explored: Explored) => Explored, steps: number): string[] {
  const path = [where(explored)]
  let now = explored
  for (let n = 0; n < steps && !isGone(now.world); n++) {
    now = step(now)
    if (where(now) !== path.at(-1)) path.push(where(now))
  }
  return path
}

it('gets everywhere: the exploration knows every phase, and every reason to be degraded that a cluster can give', () => {
  const phases = [...new Set([...lifecycle, ...enforced].map(where))].toSorted()
  expect(phases).toEqual([
    'applying',
    'available',
    'degraded/ApplyInvalid',
    'degraded/ChildMissing',
    'degraded/Conflict',
    'degraded/CrashLoop',
    'degraded/EnforceFailed',
    'degraded/Timeout',
    'deleting',
    'pending',
    'progressing',
  ])
})

describe.each([
  ['its life', lifecycle],
  ['enforcement', enforced],
])('in every reachable state of %s', (_, worlds) => {
  it('a cluster that is well makes it available, or lets it go', () => {
    const stuck = worlds.filter((explored) => {
      let { world } = explored
      for (let n = 0; n < 6 && !isGone(world); n++) {
        world = run({ world: healthy(later(world, STEP_MS)), fate: 'well' }).world
      }
      const { phase, observed_generation } = statusOf(world)
      const isThere = phase === 'available' && observed_generation === world.seen.runtime.metadata.generation
      return isGoing(world) ? !isGone(world) : !isThere
    })
    expect(stuck.map(nameOf)).toEqual([])
  })

  it('what is missing is applied, and looked at again when that fails', () => {
    const idle = worlds.filter(({ world, fate }) => {
      if (isGoing(world)) return false
      const { actions } = decide(world.seen, settings, world.now)
      const { done, decision } = play(world, settings, FATES[fate])
      const applied = actions.flatMap((action) => (action.do === 'apply' ? refText(action.child) : []))
      const isWanted = (kind: string) => `${kind}/cart--checkout`
      const wanted =
        world.seen.runtime.spec.selected_template === 'knative' ? ['KnativeService'] : ['Deployment', 'Service']
      const there = world.seen.children.map(refText)
      const forgotten = wanted.map(isWanted).filter((ref) => !there.includes(ref) && !applied.includes(ref))
      const hasFailed = done.some((one) => one.failure !== undefined)
      return (
        forgotten.length > 0 || ((hasFailed || decision.phase !== 'available') && decision.checkAgain === undefined)
      )
    })
    expect(idle.map(nameOf)).toEqual([])
  })

  it('a cluster that stays as it is leads to one phase in the end, and to none twice', () => {
    const restless = worlds
      .map((explored) => pathOf(explored, ({ world, fate }) => run({ world: later(world, STEP_MS), fate }), 5))
      .filter((path) => new Set(path).size < path.length)
    expect(restless).toEqual([])
  })

  it('looking again at once finds nothing to write', () => {
    const loud = worlds.filter((explored) => {
      const once = run(explored)
      return run(once).world.seen.runtime.status !== once.world.seen.runtime.status
    })
    expect(loud.map(nameOf)).toEqual([])
  })

  it('a decision replays to the same answer from its masked record, before and after acting', () => {
    const texts: string[] = []
    const otherwise = worlds.filter(({ world, fate }) => {
      const { done } = play(world, settings, FATES[fate])
      return [world.seen, { ...world.seen, done }].some((seen) => {
        const decision = decide(seen, settings, world.now)
        const { hide } = hiding(seen.runtime)
        const record = recorded('runtimes', { input: { seen, settings }, decision, at: world.now, hide })
        texts.push(JSON.stringify(record))
        return replay(record, replays).is !== 'same'
      })
    })
    expect(otherwise.map(nameOf)).toEqual([])
    const spelled = JSON.stringify(SENTINEL).slice(1, -1)
    expect(texts.filter((one) => one.includes(spelled))).toEqual([])
    // Searching for every part in every spelling is slow: a few are enough, because all are masked by one function.
    for (let n = 0; n < texts.length; n += Math.ceil(texts.length / 20)) expectNoSentinel(texts[n])
  })

  it('at most one of the three conditions is true, and it is that of the phase', () => {
    const odd = worlds.filter(({ world }) => {
      const status = statusOf(world)
      const isTrue = (type: string) => conditionOf(status, type)?.status === 'True'
      const isMoving = status.phase === 'progressing' || status.phase === 'applying'
      return (
        isTrue('Progressing') !== isMoving ||
        isTrue('Available') !== (status.phase === 'available') ||
        isTrue('Degraded') !== (status.phase === 'degraded')
      )
    })
    expect(odd.map(nameOf)).toEqual([])
  })
})

it('bears no mark of an enforcement that was turned off, once it is available', () => {
  const isOff = ({ seen }: World) => seen.runtime.spec.enforcement?.mode === 'off'
  const off = enforced.filter(({ world }) => isOff(world) && !isGoing(world))
  const marked = off.filter(
    ({ world }) =>
      statusOf(world).phase === 'available' &&
      world.seen.children.some(({ object }) => 'oaas.io/enforced-replicas' in (object.metadata.annotations ?? {})),
  )
  expect(off.length).toBeGreaterThan(5)
  expect(marked.map(nameOf)).toEqual([])
})

it('does not change its phase with every restart of a container that crashes', () => {
  const start = run({ world: MOVES['a container crashes'](stageAvailable()), fate: 'well' })
  const restart = ({ world, fate }: Explored): Explored => {
    const isDown = world.seen.pods.some(({ containers }) => containers.some(({ waiting }) => waiting !== undefined))
    const move = MOVES[isDown ? 'it runs until it crashes again' : 'a container crashes']
    return run({ world: move(later(world, 10_000)), fate })
  }
  expect(pathOf(start, restart, 20)).toEqual(['degraded/CrashLoop'])
})

const stageAvailable = (): World =>
  run({ world: healthy(run({ world: worldOf(SPEC), fate: 'well' }).world), fate: 'well' }).world
