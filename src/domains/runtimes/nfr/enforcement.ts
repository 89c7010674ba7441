import { timestamp } from '../../../kernel/index.ts'
import {
  DIMENSIONS,
  type AppliedRecommendation,
  type Dimension,
  type FunctionSpec,
  type NfrState,
} from '../class-runtime.ts'
import { enforcementTarget, type EnforcementTarget } from './enforcement-target.ts'
import { conditionFrom, noticesFrom, type EnforcementResult } from './enforcement-condition.ts'
import { reasonOf } from '../failures.ts'
import { conditionOf, type Cause } from '../judge/phase.ts'
import { functionName } from '../names.ts'
import { RULES } from './dimension.ts'
import { decideEnforcement, enforced, enforceFailed, modeFor, nfrKey, recommendationFor } from './enforce.ts'
import { classify, failureText } from '../judge/outcomes.ts'
import type { RuntimesSettings } from '../settings.ts'
import type { EnforcerUpdate } from '../status.ts'
import type { Done, Enforce, Notice, Observed } from '../types.ts'

export interface Enforcement {
  readonly actions: readonly Enforce[]
  readonly update: EnforcerUpdate
  /** What cannot be put into effect. */
  readonly cause?: Cause
  readonly notices: readonly Notice[]
  readonly checkAgainMs?: number
}

/**
 * What becomes of the recommendations.
 *
 * `isOpen`: everything is ready, so that scaling disturbs nothing. Otherwise nothing is begun, and what is known is kept.
 */
export function enforce(seen: Observed, settings: RuntimesSettings, isOpen: boolean, now: number): Enforcement {
  const { spec, status = {} } = seen.runtime
  const judged: EnforcementResult[] = []
  for (const fn of spec.functions ?? []) {
    for (const dimension of DIMENSIONS) {
      const one = judgeOne(seen, fn, dimension, settings, isOpen, judged, now)
      if (one !== undefined) judged.push(one)
    }
  }
  const states = judged.flatMap(({ key, state }): [string, NfrState][] => (state === undefined ? [] : [[key, state]]))
  const before = conditionOf(status, 'NfrEnforced')
  const isHeard = isOpen || judged.some(({ done }) => done !== undefined)
  const condition = isHeard ? conditionFrom(judged, seen.runtime.metadata.generation ?? 0) : before
  const failing = judged.find(({ state, mode }) => state?.failure !== undefined && mode === 'enforce')
  const waits = judged.flatMap((one) => waitOf(one, now))
  return {
    actions: judged.flatMap(({ action }) => action ?? []),
    update: {
      nfr_state: Object.fromEntries(states),
      applied: Object.fromEntries(judged.flatMap((one) => appliedBy(one, now))),
      conditions: condition === undefined ? [] : [condition],
    },
    ...(failing?.state?.failure && { cause: causeOf(failing.key, failing.state.failure) }),
    notices: isHeard ? noticesFrom(judged, before?.message ?? '') : [],
    ...(waits.length > 0 && { checkAgainMs: Math.min(...waits) }),
  }
}

function judgeOne(
  seen: Observed,
  fn: FunctionSpec,
  dimension: Dimension,
  settings: RuntimesSettings,
  isOpen: boolean,
  others: readonly EnforcementResult[],
  now: number,
): EnforcementResult | undefined {
  const { metadata, spec, status } = seen.runtime
  const functionKey = fn.function_key
  const key = nfrKey(dimension, functionKey)
  const known = status?.nfr_state?.[key]
  const mode = modeFor(spec, dimension)
  const done = seen.done.find(
    ({ action }) => action.do === 'enforce' && action.functionKey === functionKey && action.dimension === dimension,
  )
  const base = { key, functionKey, dimension, mode }
  if (done?.action.do === 'enforce')
    return { ...base, ...concluded(known, done.action, done.failure, settings, now), done }
  const target = enforcementTarget(seen, functionName(metadata.name, functionKey), dimension)
  const recommendation = recommendationFor(status, dimension, functionKey)
  if (!isOpen || target === undefined) return known && { ...base, state: known }
  const decision = decideEnforcement({
    dimension,
    mode,
    recommendation,
    state: known,
    current: target.current,
    isEnforced: target.isEnforced,
    ...(target.measuredBy !== undefined && { measuredBy: target.measuredBy }),
    bounds: boundsOf(fn, dimension, target, settings),
    recentEnforcements: seen.recent.enforcements + others.filter(({ action }) => action !== undefined).length,
    settings: settings.nfr,
    now,
  })
  const { kind, state, to, isClamped } = decision
  if (kind !== 'apply' || to === undefined || recommendation === undefined) return { ...base, state, decision }
  const { basis, confidence } = recommendation
  const { path, child, current: from } = target
  const action: Enforce = { do: 'enforce', functionKey, dimension, path, child, from, to, isClamped, basis, confidence }
  return { ...base, state, decision, action }
}

function boundsOf(
  fn: FunctionSpec,
  dimension: Dimension,
  { most = Infinity }: EnforcementTarget,
  settings: RuntimesSettings,
) {
  const { min, max } = RULES[dimension].bounds(fn.provision_config, settings.nfr)
  return { min: Math.min(min, most), max: Math.min(max, most) }
}

/** About what a target is locked for at most; whoever holds it does not tell us when it is done. */
const LOCKED_MS = 5_000

function waitOf({ decision, done, state }: EnforcementResult, now: number): number[] {
  if (decision?.checkAgainMs !== undefined) return [decision.checkAgainMs]
  if (done?.failure === undefined) return []
  return [state?.failure === undefined ? LOCKED_MS : Math.max(0, Date.parse(state.failure.retry_at) - now)]
}

/** A target that somebody else is working on is no failure: it is tried again, and nothing is noted. */
function concluded(
  known: NfrState | undefined,
  { functionKey, dimension, to }: Enforce,
  failure: Done['failure'],
  settings: RuntimesSettings,
  now: number,
): Pick<EnforcementResult, 'state'> {
  if (failure === undefined) return { state: enforced(known, to, now, settings.nfr) }
  if (reasonOf(failure.code) === 'TargetLocked') return { state: known }
  const message = failureText(nfrKey(dimension, functionKey), failure)
  return { state: enforceFailed(known, to, { ...failure, code: enforceReason(failure), message }, now) }
}

function enforceReason(failure: NonNullable<Done['failure']>): string {
  const reason = reasonOf(failure.code)
  if (reason.startsWith('Enforce')) return reason
  const { reason: applied } = classify(failure)
  return applied === 'Conflict' ? 'EnforceConflict' : applied === 'ApplyInvalid' ? 'EnforceInvalid' : 'EnforceFailed'
}

const causeOf = (key: string, { reason, message }: NonNullable<NfrState['failure']>): Cause => ({
  reason,
  message: message.includes(key) ? message : `${key}: ${message}`,
})

function appliedBy({ key, done }: EnforcementResult, now: number): [string, AppliedRecommendation][] {
  if (done?.action.do !== 'enforce' || done.failure !== undefined) return []
  const { functionKey, dimension, to, basis, confidence } = done.action
  const at = timestamp(now)
  return [[key, { component: 'function', function_key: functionKey, dimension, target: to, basis, confidence, at }]]
}
