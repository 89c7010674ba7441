import { dropCondition, sameValue, setCondition, timestamp, type Condition } from '../../kernel/index.ts'
import type {
  AppliedRecommendation,
  ClassRuntimeStatus,
  FunctionStatus,
  NfrState,
  Recommendation,
} from './class-runtime.ts'

/** A condition before the time of its transition is known. */
export type NewCondition = Omit<Condition, 'lastTransitionTime'>

export interface ControllerUpdate {
  readonly phase: string
  readonly message: string
  readonly observed_generation?: number | undefined
  readonly template?: string | undefined
  readonly resource_refs?: ClassRuntimeStatus['resource_refs'] | undefined
  readonly routers?: ClassRuntimeStatus['routers'] | undefined
  /** Those that are wanted; others are forgotten. */
  readonly functions?: ReadonlyArray<Omit<FunctionStatus, 'lastTransitionTime'>> | undefined
  readonly conditions: readonly NewCondition[]
}

export interface AnalyzerUpdate {
  /** Added to those that are known; a recommendation is never taken back, it grows old. */
  readonly nfr_recommendations: Readonly<Record<string, Recommendation>>
  readonly conditions: readonly NewCondition[]
}

export interface EnforcerUpdate {
  /** All of them; a key that is not in here is forgotten. */
  readonly nfr_state: Readonly<Record<string, NfrState>>
  /** What was put into effect just now, by the key of its state. */
  readonly applied: Readonly<Record<string, AppliedRecommendation>>
  readonly conditions: readonly NewCondition[]
}

export interface Updates {
  readonly controller: ControllerUpdate
  readonly analyzer: AnalyzerUpdate
  readonly enforcer: EnforcerUpdate
}
export type Writer = keyof Updates

/** A condition has one writer, who says all of its own each time: one that is not said is dropped. */
export const CONDITIONS_OF = {
  controller: ['Progressing', 'Available', 'Degraded', 'TelemetryConfigured'],
  analyzer: ['NfrObserved'],
  enforcer: ['NfrEnforced'],
} as const satisfies Record<Writer, readonly string[]>

/** The newest enforcements are kept, and no more. */
export const AUDIT_LENGTH = 20

type Patch = { readonly [K in keyof ClassRuntimeStatus]?: ClassRuntimeStatus[K] | undefined }

/**
 * What one writer has to say, put into a status that several write.
 *
 * It touches nothing of the others, so updates of different writers may come in any order. Saying the same again returns the
 * very same object: there is nothing to write. Times are not compared; `last_updated` moves only together with something else.
 */
export function reduce<W extends Writer>(
  status: ClassRuntimeStatus,
  writer: W,
  update: Updates[W],
  now: number,
): ClassRuntimeStatus {
  const conditions = conditionsAfter(status.conditions ?? [], CONDITIONS_OF[writer], update.conditions, now)
  const fields = FIELDS[writer](status, update, now)
  const changed = Object.entries({ ...fields, conditions }).filter(
    ([name, value]) => !sameValue(status[name as keyof ClassRuntimeStatus], value),
  )
  if (changed.length === 0) return status
  const next = {
    ...status,
    ...Object.fromEntries(changed),
    ...(writer === 'controller' && { last_updated: timestamp(now) }),
  }
  return Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined))
}

const FIELDS: { readonly [W in Writer]: (status: ClassRuntimeStatus, update: Updates[W], now: number) => Patch } = {
  controller: (status, update, now) => {
    const { phase, message, observed_generation, template, resource_refs, routers } = update
    const functions = update.functions && functionsAfter(status.functions ?? [], update.functions, now)
    return {
      phase,
      message,
      ...(observed_generation !== undefined && { observed_generation }),
      ...(template !== undefined && { template }),
      ...(resource_refs && { resource_refs }),
      ...(routers && { routers }),
      ...(functions && { functions, functions_ready: readyText(functions) }),
    }
  },
  analyzer: (status, { nfr_recommendations: found }) => ({
    ...(Object.keys(found).length > 0 && { nfr_recommendations: { ...status.nfr_recommendations, ...found } }),
  }),
  enforcer: (status, { nfr_state, applied }, now) => ({
    nfr_state: Object.keys(nfr_state).length > 0 ? nfr_state : undefined,
    ...auditAfter(status.last_applied_recommendations ?? [], Object.values(applied), now),
  }),
}

/** The timer of Progressing starts anew with a generation: what was asked for before has had its time. */
function conditionsAfter(
  before: readonly Condition[],
  mine: readonly string[],
  said: readonly NewCondition[],
  now: number,
): readonly Condition[] {
  let all = before
  for (const type of mine) if (!said.some((one) => one.type === type)) all = dropCondition(all, type)
  for (const one of said) {
    const old = all.find(({ type }) => type === one.type)
    const startsAnew = one.type === 'Progressing' && old?.observedGeneration !== one.observedGeneration
    all = setCondition(startsAnew ? dropCondition(all, one.type) : all, one, now)
  }
  return all
}

function functionsAfter(
  before: readonly FunctionStatus[],
  wanted: ReadonlyArray<Omit<FunctionStatus, 'lastTransitionTime'>>,
  now: number,
): FunctionStatus[] {
  return wanted.map((one) => {
    const old = before.find(({ function_key }) => function_key === one.function_key)
    const kept = old?.ready === one.ready ? old?.lastTransitionTime : undefined
    return { ...one, lastTransitionTime: kept ?? timestamp(now) }
  })
}

const readyText = (functions: readonly FunctionStatus[]): string =>
  `${functions.filter(({ ready }) => ready).length}/${functions.length}`

/** Appends what is new. The same value for the same field twice in a row is said once. */
function auditAfter(
  before: readonly AppliedRecommendation[],
  applied: readonly AppliedRecommendation[],
  now: number,
): Patch {
  const isOfSame = (a: AppliedRecommendation) => (b: AppliedRecommendation) =>
    a.component === b.component && a.function_key === b.function_key && a.dimension === b.dimension
  const fresh = applied.filter((one) => {
    const last = before.findLast(isOfSame(one))
    return last === undefined || !sameValue({ ...last, at: undefined }, { ...one, at: undefined })
  })
  if (fresh.length === 0) return {}
  return {
    last_applied_recommendations: [...before, ...fresh].slice(-AUDIT_LENGTH),
    last_applied_at: timestamp(now),
  }
}
