import { delayFor, timestamp, type Failure } from '../../../kernel/index.ts'
import type {
  ClassRuntimeSpec,
  ClassRuntimeStatus,
  Dimension,
  Mode,
  NfrState,
  Recommendation,
} from '../class-runtime.ts'
import { reasonOf } from '../failures.ts'
import type { NfrSettings } from '../settings.ts'
import { RULES, type Bounds, type DimensionRules } from './dimension.ts'

export interface EnforceInput {
  readonly dimension: Dimension
  /** As `modeFor` has it: a dimension that is not listed is `off`. */
  readonly mode: Mode
  readonly recommendation: Recommendation | undefined
  readonly state: NfrState | undefined
  /** What the field says now, whoever wrote it. Absent: nothing is set. */
  readonly current: number | undefined
  /** `isEnforced` of the child: somebody was stopped between the change and its record, which is made up for. */
  readonly isEnforced?: boolean
  /** The autoscaler that measures use as a share of what would be changed. */
  readonly measuredBy?: string
  readonly bounds: Bounds
  /** Changes that the control plane has seen within the budget's window, those decided in this run included. */
  readonly recentEnforcements: number
  readonly settings: NfrSettings
  readonly now: number
}

export type EnforceKind =
  | 'apply'
  | 'waitStability'
  | 'waitCooldown'
  /** The last attempt failed; the next one has its time. */
  | 'waitRetry'
  | 'waitBudget'
  /** With `to`: mode `observe`, and this is what `enforce` would do now. */
  | 'skipMode'
  | 'noRecommendation'
  /** An autoscaler would see another load for every change, and answer it: two hands on one wheel. */
  | 'skipAutoscaler'
  | 'stale'
  | 'lowConfidence'
  | 'asWanted'

export interface EnforceDecision {
  readonly kind: EnforceKind
  /** What has to be kept; the very same object as before when nothing is new. */
  readonly state: NfrState | undefined
  readonly from?: number
  /** The value of this step; several may be needed to reach the target. */
  readonly to?: number
  /** The recommendation lies outside of the bounds. */
  readonly isClamped: boolean
  /** For people. */
  readonly because: string
  /** Time alone changes the answer, and not before this. */
  readonly checkAgainMs?: number
}

const RETRIES = { baseMs: 10_000, capMs: 600_000 }

export const nfrKey = (dimension: Dimension, functionKey: string): string => `${dimension}/${functionKey}`

/** A recommendation for this function wins over one for the whole class. */
export const recommendationFor = (
  status: ClassRuntimeStatus | undefined,
  dimension: Dimension,
  functionKey: string,
): Recommendation | undefined =>
  status?.nfr_recommendations?.[nfrKey(dimension, functionKey)] ?? status?.nfr_recommendations?.[dimension]

/** Without a list of dimensions only replicas are touched: changing requests restarts pods, so that must be asked for. */
export function modeFor(spec: ClassRuntimeSpec, dimension: Dimension): Mode {
  const { mode = 'observe', dimensions = ['replicas'] } = spec.enforcement ?? {}
  return dimensions.includes(dimension) ? mode : 'off'
}

/**
 * Whether one dimension of one function is changed now, and to what.
 *
 * mode → autoscaler → age → confidence → clamp → band → cooldown → stability → step → budget. Only `state` is kept between
 * calls, so a restart changes no answer.
 */
export function decideEnforcement(input: EnforceInput): EnforceDecision {
  const { dimension, mode, recommendation, current, bounds, settings, now } = input
  const rules = RULES[dimension]
  if (mode === 'off') return idle('skipMode', undefined, `${dimension} are not enforced`)
  const known = mode === 'enforce' ? madeUp(input) : withoutApplied(input.state)
  if (recommendation === undefined || !Number.isFinite(recommendation.value)) {
    return idle('noRecommendation', calm(known), `nothing is recommended for ${dimension} yet`)
  }
  if (input.measuredBy !== undefined) {
    return idle('skipAutoscaler', calm(known), leftTo(input.measuredBy, dimension))
  }
  const age = now - Date.parse(recommendation.at)
  if (age > settings.maxAgeMs) {
    return idle(
      'stale',
      calm(known),
      `the recommendation is ${inSeconds(age)} old, more than ${inSeconds(settings.maxAgeMs)}`,
    )
  }
  if (dimension !== 'replicas' && recommendation.confidence < settings.minConfidence) {
    const { confidence } = recommendation
    return idle('lowConfidence', calm(known), `confidence ${confidence} is below ${settings.minConfidence}`)
  }

  const rounded = Math.ceil(recommendation.value / rules.grain) * rules.grain
  const wanted = Math.min(bounds.max, Math.max(bounds.min, rounded))
  const isClamped = wanted !== rounded
  const state = pursue(known, wanted, current, rules, dimension, now)
  if (state === undefined || (current !== undefined && isMet(dimension, rules, state.target, current))) {
    return { ...idle('asWanted', calm(state), `${rules.text(current ?? wanted)} as recommended`), isClamped }
  }

  const { target } = state
  const to = nextStep(current, target, bounds, rules, settings)
  const change = `${current === undefined ? 'unset' : rules.text(current)} → ${rules.text(to)}`
  const answer = (kind: EnforceKind, because: string, until?: number): EnforceDecision => ({
    kind,
    state,
    ...(current === undefined ? {} : { from: current }),
    to,
    isClamped,
    because: `${change}: ${because}`,
    ...(until === undefined ? {} : { checkAgainMs: Math.max(0, until - now) }),
  })

  const stableAt = Date.parse(state.since) + patience(dimension, rules, target, current, settings)
  const cooledAt = state.cooldown_until === undefined ? 0 : Date.parse(state.cooldown_until)
  if (now < cooledAt) return answer('waitCooldown', `the last change is too recent`, Math.max(cooledAt, stableAt))
  if (now < stableAt)
    return answer('waitStability', `wanted since ${state.since}, must hold until ${timestamp(stableAt)}`, stableAt)
  if (mode === 'observe')
    return { ...answer('skipMode', 'would be applied, but the mode is observe'), state: calm(state) }
  const retryAt = state.failure === undefined ? 0 : Date.parse(state.failure.retry_at)
  if (now < retryAt)
    return answer('waitRetry', `the last attempt failed, next one at ${state.failure?.retry_at}`, retryAt)
  const { changes, windowMs } = settings.budget
  if (input.recentEnforcements >= changes) {
    const because = `${input.recentEnforcements} changes in the last ${inSeconds(windowMs)} use up the budget of ${changes}`
    return answer('waitBudget', because, now + Math.max(1_000, windowMs / Math.max(1, changes)))
  }
  return answer('apply', recommendation.basis)
}

const leftTo = (autoscaler: string, dimension: Dimension): string =>
  `the request is left alone: HorizontalPodAutoscaler ${autoscaler} measures ${dimension} as a share of it`

/** After the change took effect. */
export const enforced = (state: NfrState | undefined, to: number, now: number, settings: NfrSettings): NfrState => ({
  target: state?.target ?? to,
  since: state?.since ?? timestamp(now),
  cooldown_until: timestamp(now + settings.cooldownMs),
  applied: to,
})

/** After the change was refused or went wrong. */
export function enforceFailed(state: NfrState | undefined, to: number, failure: Failure, now: number): NfrState {
  const count = (state?.failure?.count ?? 0) + 1
  const { message } = failure
  const reason = reasonOf(failure.code)
  const retry_at = timestamp(now + delayFor(count, RETRIES))
  return { target: to, since: timestamp(now), ...state, failure: { reason, message, count, retry_at } }
}

/**
 * What is strived for, and since when.
 *
 * While the target is not reached, values near it are noise: the larger one is strived for and the clock runs on, so that
 * 4, 5, 4, 5 … ends in 5 after one window. Anything else starts a new window.
 */
function pursue(
  state: NfrState | undefined,
  wanted: number,
  current: number | undefined,
  rules: DimensionRules,
  dimension: Dimension,
  now: number,
): NfrState | undefined {
  const isSettled = (target: number) => current !== undefined && isMet(dimension, rules, target, current)
  if (state === undefined) return isSettled(wanted) ? undefined : { target: wanted, since: timestamp(now) }
  if (state.target === wanted) return state
  if (isSettled(state.target)) return isSettled(wanted) ? state : { ...state, target: wanted, since: timestamp(now) }
  if (!rules.near(wanted, state.target)) return { ...state, target: wanted, since: timestamp(now) }
  return wanted > state.target ? { ...state, target: wanted } : state
}

const isMet = (dimension: Dimension, rules: DimensionRules, target: number, current: number): boolean =>
  dimension === 'replicas' ? target === current : rules.near(target, current)

/** Fewer replicas, but only just: what looks like noise has to last until it cannot be, or every lull would cost a pod. */
const patience = (
  dimension: Dimension,
  rules: DimensionRules,
  target: number,
  current: number | undefined,
  { stabilityMs, cooldownMs }: NfrSettings,
): number =>
  dimension === 'replicas' && current !== undefined && target < current && rules.near(target, current)
    ? 4 * (stabilityMs + cooldownMs)
    : stabilityMs

/** The bounds win over the size of a step: what lies outside of them is brought inside at once. */
function nextStep(
  current: number | undefined,
  target: number,
  { min, max }: Bounds,
  rules: DimensionRules,
  settings: NfrSettings,
): number {
  const stepped = current === undefined ? target : rules.step(current, target, settings)
  return Math.min(max, Math.max(min, stepped))
}

const idle = (kind: EnforceKind, state: NfrState | undefined, because: string): EnforceDecision => ({
  kind,
  state,
  isClamped: false,
  because,
})

/** Nothing is being tried, so nothing is failing. */
function calm(state: NfrState | undefined): NfrState | undefined {
  if (state?.failure === undefined) return state
  const { failure: _, ...rest } = state
  return rest
}

/** The change that took effect without being recorded counts as made just now. */
function madeUp({ state, current, isEnforced, settings, now }: EnforceInput): NfrState | undefined {
  const isLost = isEnforced === true && current !== undefined && state?.applied === undefined
  return isLost ? enforced(state, current, now, settings) : state
}

/** Outside of `enforce` the field is the controller's again. */
function withoutApplied(state: NfrState | undefined): NfrState | undefined {
  if (state?.applied === undefined) return state
  const { applied: _, ...rest } = state
  return rest
}

const inSeconds = (ms: number): string => `${Math.round(ms / 1000)} s`
