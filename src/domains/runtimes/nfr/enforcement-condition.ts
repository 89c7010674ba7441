import type { Dimension, Mode, NfrState } from '../class-runtime.ts'
import { RULES } from './dimension.ts'
import type { EnforceDecision } from './enforce.ts'
import type { NewCondition } from '../status.ts'
import type { Done, Enforce, Notice } from '../types.ts'

/** What was found out about one dimension of one function. */
export interface EnforcementResult {
  readonly key: string
  readonly functionKey: string
  readonly dimension: Dimension
  readonly mode: Mode
  readonly state: NfrState | undefined
  /** Absent: it was not asked for, because this run has acted upon it or nothing may be begun now. */
  readonly decision?: EnforceDecision
  readonly action?: Enforce
  readonly done?: Done
}

interface ConditionPart {
  readonly key: string
  readonly reason: string
  readonly isMet: boolean
  /** Says nothing that changes while one waits: every other word is a write. */
  readonly text: string
  readonly notice?: Omit<Notice, 'note'>
}

const normal = (reason: string): Omit<Notice, 'note'> => ({ type: 'Normal', reason, action: 'Enforce' })

/** Failing first, then what is waited for, then what is as wanted. */
const ORDER = ['Enforce', 'TargetLocked', 'Waiting', 'Observing', 'Measured', 'Low', 'Stale', 'Applied']
const rank = ({ reason }: ConditionPart): number => ORDER.findIndex((start) => reason.startsWith(start))

/** Nothing when nothing is recommended. */
export function conditionFrom(
  judged: readonly EnforcementResult[],
  observedGeneration: number,
): NewCondition | undefined {
  const words = judged.flatMap(wordsOf).toSorted((a, b) => rank(a) - rank(b))
  const [worst] = words
  if (worst === undefined) return undefined
  return {
    type: 'NfrEnforced',
    status: words.every(({ isMet }) => isMet) ? 'True' : 'False',
    reason: worst.reason,
    message: words.map(({ text }) => text).join('; '),
    observedGeneration,
  }
}

/** Those that the condition did not say before. */
export function noticesFrom(judged: readonly EnforcementResult[], said: string): Notice[] {
  const told = said.split('; ')
  return judged.flatMap((one) => {
    const news = wordsOf(one).filter(({ text }) => !told.includes(text))
    const clamped = one.decision?.isClamped === true || (one.done?.action as Enforce | undefined)?.isClamped === true
    const notices = news.flatMap(({ text, notice }) => (notice === undefined ? [] : [{ ...notice, note: text }]))
    if (!clamped || notices.length === 0) return notices
    return [...notices, { ...normal('NFRClampedMax'), note: `${one.key}: the recommendation is outside of its bounds` }]
  })
}

function wordsOf(one: EnforcementResult): ConditionPart[] {
  const { key, state, done, decision } = one
  if (done !== undefined) return [wordOfDone(one, done)]
  if (state?.failure !== undefined) {
    return [{ key, reason: state.failure.reason, isMet: false, text: state.failure.message }]
  }
  const word = decision === undefined ? undefined : wordOfDecision(one, decision)
  return word === undefined ? [] : [word]
}

function wordOfDone({ key, dimension, state }: EnforcementResult, { action, failure }: Done): ConditionPart {
  const { to = 0 } = action as Partial<Enforce>
  const value = RULES[dimension].text(to)
  if (failure === undefined) {
    return { key, reason: 'Applied', isMet: true, text: `${key}: ${value} applied`, notice: normal('NFRApplied') }
  }
  if (state?.failure === undefined) {
    return { key, reason: 'TargetLocked', isMet: false, text: `${key}: ${failure.message}` }
  }
  const { reason, message } = state.failure
  return { key, reason, isMet: false, text: message, notice: { ...normal('NFRApplyFailed'), type: 'Warning' } }
}

function wordOfDecision(
  { key, dimension, mode }: EnforcementResult,
  decision: EnforceDecision,
): ConditionPart | undefined {
  const { kind, from, to, because } = decision
  const rules = RULES[dimension]
  const change = to === undefined ? '' : `${from === undefined ? 'unset' : rules.text(from)} → ${rules.text(to)}`
  const word = (reason: string, said: string, notice?: string): ConditionPart => ({
    key,
    reason,
    isMet: reason === 'Applied',
    text: `${key}: ${said}`,
    ...(notice !== undefined && { notice: normal(notice) }),
  })
  switch (kind) {
    case 'apply':
      return word('Waiting', change)
    case 'waitStability':
      return word('WaitingForStability', `${change} once it has been wanted long enough`, 'NFRSkippedStability')
    case 'waitCooldown':
      return word('WaitingForCooldown', `${change} once the last change has settled`, 'NFRSkippedCooldown')
    case 'waitBudget':
      return word('WaitingForBudget', `${change} once the control plane has seen fewer changes`, 'NFRSkippedBudget')
    case 'waitRetry':
      return word('WaitingForRetry', `${change} is tried again`)
    case 'skipMode':
      return mode === 'observe' && to !== undefined
        ? word('Observing', `${change} would have been applied, but the mode is observe`, 'NFRObserved')
        : undefined
    case 'skipAutoscaler':
      return word('MeasuredByAutoscaler', because, 'NFRSkippedAutoscaler')
    case 'stale':
      return word('Stale', 'the recommendation is too old')
    case 'lowConfidence':
      return word('LowConfidence', 'the recommendation is too uncertain')
    case 'asWanted':
      return word('Applied', 'as recommended')
    case 'noRecommendation':
      return undefined
    default:
      return kind satisfies never
  }
}
