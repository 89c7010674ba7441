import { describe, expect, test } from 'vitest'
import { timestamp } from '../../../kernel/index.ts'
import type { NfrState, Recommendation } from '../class-runtime.ts'
import type { NfrSettings } from '../settings.ts'
import { RULES } from './dimension.ts'
import { decideEnforcement, enforced, enforceFailed, modeFor, recommendationFor, type EnforceInput } from './enforce.ts'

const NOW = Date.UTC(2026, 0, 1, 12)
const MI = 2 ** 20
const SETTINGS: NfrSettings = {
  stabilityMs: 180_000,
  cooldownMs: 120_000,
  maxReplicas: 20,
  maxReplicaDelta: 5,
  maxAgeMs: 600_000,
  minConfidence: 0.7,
  budget: { changes: 10, windowMs: 60_000 },
}

const ago = (ms: number): string => timestamp(NOW - ms)
const recommends = (value: number, more: Partial<Recommendation> = {}): Recommendation => ({
  value,
  at: timestamp(NOW),
  confidence: 1,
  basis: '120 rps of 100 wanted',
  ...more,
})
const held = (target: number, more: Partial<NfrState> = {}): NfrState => ({ target, since: ago(200_000), ...more })

/** Stable for long enough, nothing in the way. */
const input = (more: Partial<EnforceInput> = {}): EnforceInput => ({
  dimension: 'replicas',
  mode: 'enforce',
  recommendation: recommends(4),
  state: held(4),
  current: 2,
  bounds: { min: 1, max: 20 },
  recentEnforcements: 0,
  settings: SETTINGS,
  now: NOW,
  ...more,
})

describe('replicas', () => {
  test.for<[why: string, given: Partial<EnforceInput>, then: Partial<ReturnType<typeof decideEnforcement>>]>([
    ['a stable recommendation is applied', {}, { kind: 'apply', from: 2, to: 4, isClamped: false }],
    ['the mode is off', { mode: 'off' }, { kind: 'skipMode', state: undefined }],
    ['observing tells what would be done', { mode: 'observe' }, { kind: 'skipMode', from: 2, to: 4 }],
    ['nothing is recommended', { recommendation: undefined }, { kind: 'noRecommendation' }],
    [
      'an autoscaler measures it',
      { measuredBy: 'cart', state: held(4, { failure: { reason: 'x', message: 'x', count: 1, retry_at: ago(0) } }) },
      { kind: 'skipAutoscaler', state: held(4) },
    ],
    [
      'it measures what nobody recommends',
      { measuredBy: 'cart', recommendation: undefined },
      { kind: 'noRecommendation' },
    ],
    ['it is too old', { recommendation: recommends(4, { at: ago(600_001) }) }, { kind: 'stale' }],
    ['it is new', { state: undefined }, { kind: 'waitStability', to: 4, checkAgainMs: 180_000 }],
    [
      'it is not stable yet',
      { state: held(4, { since: ago(60_000) }) },
      { kind: 'waitStability', checkAgainMs: 120_000 },
    ],
    [
      'it changed a lot',
      { recommendation: recommends(9) },
      { kind: 'waitStability', state: held(9, { since: ago(0) }) },
    ],
    [
      'the last change is recent',
      { state: held(4, { cooldown_until: ago(-30_000) }) },
      { kind: 'waitCooldown', checkAgainMs: 30_000 },
    ],
    ['the cluster has seen enough', { recentEnforcements: 10 }, { kind: 'waitBudget', checkAgainMs: 6_000 }],
    ['it is there already', { current: 4 }, { kind: 'asWanted' }],
    [
      'it is above the bounds',
      { recommendation: recommends(50), state: held(20), current: 18 },
      { kind: 'apply', to: 20, isClamped: true },
    ],
    [
      'it is below the bounds',
      { recommendation: recommends(1), bounds: { min: 3, max: 9 }, state: held(3) },
      { kind: 'apply', to: 3, isClamped: true },
    ],
    ['it is a long way up', { recommendation: recommends(20), state: held(20) }, { kind: 'apply', to: 7 }],
    [
      'it is a long way down',
      { recommendation: recommends(2), state: held(2), current: 20 },
      { kind: 'apply', to: 15 },
    ],
    ['the live value is out of bounds', { current: 40, state: held(4) }, { kind: 'apply', to: 20 }],
    ['it is broken', { recommendation: recommends(2.2), state: held(3) }, { kind: 'apply', to: 3 }],
    ['confidence does not matter', { recommendation: recommends(4, { confidence: 0 }) }, { kind: 'apply' }],
  ])('%s', ([, given, then]) => {
    expect(decideEnforcement(input(given))).toMatchObject(then)
  })

  test('values near the target neither restart the clock nor lower the aim', () => {
    const state = held(5, { since: ago(100_000) })
    const lower = decideEnforcement(input({ state, recommendation: recommends(4), current: 2 }))
    expect(lower.state).toBe(state)
    const higher = decideEnforcement(input({ state, recommendation: recommends(6), current: 2 }))
    expect(higher.state).toEqual({ ...state, target: 6 })
  })

  test('one replica less has to be wanted four times as long', () => {
    const state = held(4, { since: ago(1_199_000) })
    const waiting = decideEnforcement(input({ state, current: 5 }))
    expect(waiting).toMatchObject({ kind: 'waitStability', checkAgainMs: 1_000 })
    expect(decideEnforcement(input({ state, current: 5, now: NOW + 1_000 }))).toMatchObject({ kind: 'apply', to: 4 })
  })

  test('an unchanged truth keeps the very same state', () => {
    for (const given of [{}, { current: 4 }, { recentEnforcements: 10 }, { mode: 'observe' as const }]) {
      const state = held(4)
      expect(decideEnforcement(input({ ...given, state })).state).toBe(state)
    }
    expect(decideEnforcement(input({ state: undefined, current: 4 })).state).toBeUndefined()
  })

  test('what was put into effect starts the cooldown and forgets the failure', () => {
    const failed = held(4, { failure: { reason: 'EnforceFailed', message: 'no', count: 3, retry_at: ago(0) } })
    expect(enforced(failed, 4, NOW, SETTINGS)).toEqual({ ...held(4), applied: 4, cooldown_until: ago(-120_000) })
  })

  test('a failed attempt is repeated after growing pauses', () => {
    const failure = {
      code: 'RuntimeEnforceConflict',
      message: 'hpa owns it',
      whoseMove: 'user',
      retryable: true,
      nextStep: '',
    } as const
    const once = enforceFailed(held(4), 4, failure, NOW)
    expect(once.failure).toEqual({
      reason: 'EnforceConflict',
      message: 'hpa owns it',
      count: 1,
      retry_at: ago(-10_000),
    })
    expect(decideEnforcement(input({ state: once }))).toMatchObject({ kind: 'waitRetry', checkAgainMs: 10_000 })
    expect(decideEnforcement(input({ state: once, now: NOW + 10_000 }))).toMatchObject({ kind: 'apply' })
    expect(enforceFailed(once, 4, failure, NOW).failure).toMatchObject({ count: 2, retry_at: ago(-20_000) })
  })

  test.for<[when: string, given: Partial<EnforceInput>]>([
    ['it is as wanted', { current: 4 }],
    ['only watching', { mode: 'observe' }],
    ['nothing fresh is known', { recommendation: recommends(4, { at: ago(900_000) }) }],
  ])('a failure is over when %s', ([, given]) => {
    const state = enforceFailed(
      held(4),
      4,
      { code: 'X', message: '', whoseMove: 'user', retryable: true, nextStep: '' },
      NOW,
    )
    expect(decideEnforcement(input({ ...given, state })).state).toEqual(held(4))
  })

  test('outside of enforce the field is given back', () => {
    expect(decideEnforcement(input({ mode: 'observe', state: held(4, { applied: 3 }) })).state).toEqual(held(4))
    expect(decideEnforcement(input({ mode: 'off', state: held(4, { applied: 3 }) })).state).toBeUndefined()
  })

  test('a change that was made but not recorded is recorded as made now', () => {
    const { kind, state } = decideEnforcement(input({ current: 4, isEnforced: true }))
    expect(kind).toBe('asWanted')
    expect(state).toEqual({ ...held(4), applied: 4, cooldown_until: ago(-120_000) })
  })
})

describe('memory and cpu', () => {
  const memory = (more: Partial<EnforceInput> = {}) =>
    input({
      dimension: 'memory',
      recommendation: recommends(512 * MI),
      state: held(512 * MI),
      current: 256 * MI,
      bounds: RULES.memory.bounds({}, SETTINGS),
      ...more,
    })

  test.for<[why: string, given: EnforceInput, then: Partial<ReturnType<typeof decideEnforcement>>]>([
    ['a quarter more at once', memory(), { kind: 'apply', from: 256 * MI, to: 320 * MI }],
    [
      'a quarter less at once',
      memory({ recommendation: recommends(64 * MI), state: held(64 * MI) }),
      { kind: 'apply', to: 192 * MI },
    ],
    ['on the grid of 16Mi', memory({ current: 100 * MI }), { kind: 'apply', to: 112 * MI }],
    ['all at once when nothing was requested', memory({ current: undefined }), { kind: 'apply', to: 512 * MI }],
    [
      'a guess is not trusted',
      memory({ recommendation: recommends(512 * MI, { confidence: 0.69 }) }),
      { kind: 'lowConfidence' },
    ],
    [
      'less than a fifth and 64Mi is not worth a restart',
      memory({ recommendation: recommends(300 * MI), state: undefined }),
      { kind: 'asWanted' },
    ],
    [
      '64Mi are, however much there is',
      memory({ current: 1024 * MI, recommendation: recommends(1088 * MI), state: held(1088 * MI) }),
      { kind: 'apply', to: 1088 * MI },
    ],
    [
      'the limit of the user is the most',
      memory({
        bounds: RULES.memory.bounds({ memory_limit: '300Mi' }, SETTINGS),
        state: held(300 * MI),
        current: 200 * MI,
      }),
      { kind: 'apply', to: 240 * MI, isClamped: true },
    ],
    [
      'cpu in steps of 10m',
      input({
        dimension: 'cpu',
        recommendation: recommends(1000),
        state: held(1000),
        current: 250,
        bounds: RULES.cpu.bounds({ cpu_limit: '2' }, SETTINGS),
      }),
      { kind: 'apply', to: 310 },
    ],
  ])('%s', ([, given, then]) => {
    expect(decideEnforcement(given)).toMatchObject(then)
  })
})

test('the scale of the spec and the maximum of the installation bound replicas', () => {
  expect(RULES.replicas.bounds(undefined, SETTINGS)).toEqual({ min: 1, max: 20 })
  expect(RULES.replicas.bounds({ min_scale: 2, max_scale: 0 }, SETTINGS)).toEqual({ min: 2, max: 20 })
  expect(RULES.replicas.bounds({ min_scale: 0, max_scale: 8 }, SETTINGS)).toEqual({ min: 1, max: 8 })
  expect(RULES.replicas.bounds({ min_scale: 30 }, SETTINGS)).toEqual({ min: 30, max: 30 })
})

test('what is recommended for a function wins over what is for all', () => {
  const status = { nfr_recommendations: { replicas: recommends(2), 'replicas/b': recommends(3) } }
  expect(recommendationFor(status, 'replicas', 'a')?.value).toBe(2)
  expect(recommendationFor(status, 'replicas', 'b')?.value).toBe(3)
  expect(recommendationFor(status, 'cpu', 'b')).toBeUndefined()
})

test('requests are only touched when they are listed', () => {
  expect(modeFor({}, 'replicas')).toBe('observe')
  expect(modeFor({ enforcement: { mode: 'enforce' } }, 'memory')).toBe('off')
  expect(modeFor({ enforcement: { mode: 'enforce', dimensions: ['cpu'] } }, 'cpu')).toBe('enforce')
  expect(modeFor({ enforcement: { mode: 'enforce', dimensions: ['cpu'] } }, 'replicas')).toBe('off')
})
