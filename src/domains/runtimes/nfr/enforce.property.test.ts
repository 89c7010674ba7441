import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { timestamp } from '../../../kernel/index.ts'
import type { Dimension, NfrState } from '../class-runtime.ts'
import type { NfrSettings } from '../settings.ts'
import { RULES, type Bounds } from './dimension.ts'
import { decideEnforcement, enforced } from './enforce.ts'

const START = Date.UTC(2026, 0, 1)
const MI = 2 ** 20
const seconds = (min: number, max: number) => fc.integer({ min, max }).map((count) => count * 1000)

const settingsOf = fc
  .record({
    stabilityMs: seconds(30, 600),
    cooldownMs: seconds(0, 600),
    maxReplicas: fc.integer({ min: 1, max: 50 }),
    maxReplicaDelta: fc.integer({ min: 1, max: 10 }),
  })
  .map((some): NfrSettings => ({
    ...some,
    maxAgeMs: 600_000,
    minConfidence: 0.5,
    budget: { changes: 5, windowMs: 60_000 },
  }))

const SIZES: Readonly<Record<Dimension, fc.Arbitrary<number>>> = {
  replicas: fc.integer({ min: 1, max: 60 }),
  memory: fc.integer({ min: 1, max: 4096 }).map((size) => size * MI),
  cpu: fc.integer({ min: 1, max: 8000 }),
}
const dimensionOf = fc.constantFrom<Dimension>('replicas', 'memory', 'cpu')
const sizesOf = dimensionOf.chain((dimension) =>
  fc.record({
    dimension: fc.constant(dimension),
    current: SIZES[dimension],
    wanted: fc.array(SIZES[dimension], { minLength: 1, maxLength: 60 }),
  }),
)

interface World {
  readonly dimension: Dimension
  readonly settings: NfrSettings
  readonly bounds: Bounds
  current: number
  state: NfrState | undefined
  readonly changes: Array<{ readonly at: number; readonly from: number; readonly to: number }>
}

/** One look at the world: a fresh recommendation, the decision, and what comes of it. */
function tick(world: World, value: number, now: number): void {
  const { dimension, settings, bounds, current, state } = world
  const recommendation = { value, at: timestamp(now), confidence: 1, basis: '' }
  const answer = decideEnforcement({
    dimension,
    mode: 'enforce',
    recommendation,
    state,
    current,
    bounds,
    settings,
    now,
    recentEnforcements: 0,
  })
  world.state = answer.state
  if (answer.kind !== 'apply' || answer.to === undefined) return
  world.changes.push({ at: now, from: current, to: answer.to })
  world.current = answer.to
  world.state = enforced(answer.state, answer.to, now, settings)
}

const worldOf = (dimension: Dimension, settings: NfrSettings, current: number): World => ({
  dimension,
  settings,
  current,
  bounds: RULES[dimension].bounds({}, settings),
  state: undefined,
  changes: [],
})

test('no change ever leads out of the bounds, nor further than a step inside them', () => {
  fc.assert(
    fc.property(settingsOf, sizesOf, (settings, { dimension, current, wanted }) => {
      const world = worldOf(dimension, settings, current)
      for (const [index, value] of wanted.entries()) tick(world, value, START + index * 60_000)
      const { min, max } = world.bounds
      for (const { from, to } of world.changes) {
        expect(to).toBeGreaterThanOrEqual(min)
        expect(to).toBeLessThanOrEqual(max)
        if (dimension === 'replicas' && from <= max)
          expect(Math.abs(to - from)).toBeLessThanOrEqual(settings.maxReplicaDelta)
      }
    }),
  )
})

test('two changes are never closer than the cooldown', () => {
  fc.assert(
    fc.property(settingsOf, sizesOf, (settings, { dimension, current, wanted }) => {
      const world = worldOf(dimension, settings, current)
      for (const [index, value] of wanted.entries()) tick(world, value, START + index * 60_000)
      for (const [index, { at }] of world.changes.entries()) {
        const before = world.changes[index - 1]
        if (before !== undefined) expect(at - before.at).toBeGreaterThanOrEqual(settings.cooldownMs)
      }
    }),
  )
})

test('noise between two neighbours is met, and costs at most one change per stability and cooldown', () => {
  const noise = fc.array(fc.boolean(), { minLength: 200, maxLength: 200 })
  fc.assert(
    fc.property(settingsOf, fc.integer({ min: 1, max: 49 }), noise, (settings, low, ups) => {
      fc.pre(low + 1 <= settings.maxReplicas)
      const world = worldOf('replicas', settings, low)
      for (const [index, up] of ups.entries()) tick(world, up ? low + 1 : low, START + index * 30_000)
      const length = ups.length * 30_000
      expect(world.changes.length).toBeLessThanOrEqual(1 + length / (settings.stabilityMs + settings.cooldownMs))
      const firstUp = ups.indexOf(true) * 30_000
      const isLongEnough = firstUp >= 0 && firstUp + settings.stabilityMs < length - 30_000
      if (isLongEnough) expect(world.changes[0]?.to).toBe(low + 1)
    }),
  )
})

test('alternating 4 and 5 ends in 5 after one window and stays there', () => {
  const settings = {
    ...fc.sample(settingsOf, { numRuns: 1, seed: 1 })[0]!,
    stabilityMs: 180_000,
    cooldownMs: 120_000,
    maxReplicas: 20,
    maxReplicaDelta: 5,
  }
  const world = worldOf('replicas', settings, 2)
  for (let minute = 0; minute < 600; minute++) tick(world, minute % 2 === 0 ? 4 : 5, START + minute * 60_000)
  expect(world.changes).toEqual([{ at: START + 180_000, from: 2, to: 5 }])
})

test('a constant recommendation is reached, in a number of steps that its distance bounds', () => {
  fc.assert(
    fc.property(settingsOf, sizesOf, (settings, { dimension, current, wanted: [value = 1] }) => {
      const world = worldOf(dimension, settings, current)
      const { min, max } = world.bounds
      const rules = RULES[dimension]
      const target = Math.min(max, Math.max(min, Math.ceil(value / rules.grain) * rules.grain))
      const steps = dimension === 'replicas' ? Math.ceil(Math.abs(target - current) / settings.maxReplicaDelta) : 64
      const pace = settings.stabilityMs + settings.cooldownMs
      for (let now = START; now <= START + (steps + 6) * pace; now += 30_000) tick(world, value, now)
      expect(world.changes.length).toBeLessThanOrEqual(steps)
      if (dimension === 'replicas') expect(world.current).toBe(target)
      else expect(rules.near(target, world.current)).toBe(true)
      const directions = new Set(world.changes.map(({ from, to }) => Math.sign(to - from)))
      expect(directions.size).toBeLessThanOrEqual(1)
    }),
    { numRuns: 60 },
  )
})

test('a restart at any time changes no decision', () => {
  fc.assert(
    fc.property(
      settingsOf,
      sizesOf,
      fc.array(fc.boolean(), { minLength: 60, maxLength: 60 }),
      (settings, sizes, restarts) => {
        const { dimension, current, wanted } = sizes
        const [steady, restarted] = [worldOf(dimension, settings, current), worldOf(dimension, settings, current)]
        for (const [index, value] of wanted.entries()) {
          const now = START + index * 60_000
          tick(steady, value, now)
          // All that a new process has is what was written down.
          if (restarts[index])
            restarted.state = restarted.state && (JSON.parse(JSON.stringify(restarted.state)) as NfrState)
          tick(restarted, value, now)
        }
        expect(restarted.changes).toEqual(steady.changes)
        expect(restarted.state).toEqual(steady.state)
      },
    ),
  )
})
