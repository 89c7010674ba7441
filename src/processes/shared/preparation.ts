import type { PreparationView, StepView } from '../../api/contract/index.ts'

/** A progress report of a tool. */
export interface PreparationStep {
  readonly what: string
  readonly detail?: string
}

export const beginPreparation = (now: string): PreparationView => ({
  state: 'running',
  started_at: now,
  ended_at: null,
  steps: [],
})

/** The preparation after one more progress report. A new `what` ends the step before. */
export function advancePreparation(
  before: PreparationView,
  { what, detail = null }: PartialDetail,
  now: string,
): PreparationView {
  const last = before.steps.at(-1)
  if (last?.title === what) {
    return { ...before, steps: [...before.steps.slice(0, -1), { ...last, message: detail }] }
  }
  const ended = before.steps.map((step) => endStep(step, 'done', now))
  const begun: StepView = {
    name: slug(what),
    title: what,
    state: 'running',
    started_at: now,
    ended_at: null,
    message: detail,
  }
  return { ...before, steps: [...ended, begun] }
}

type PartialDetail = Omit<PreparationStep, 'detail'> & { readonly detail?: string | null }

export function endPreparation(before: PreparationView, failure: string | undefined, now: string): PreparationView {
  const state = failure === undefined ? 'done' : 'failed'
  const steps = before.steps.map((step) => {
    const ended = endStep(step, state, now)
    return failure !== undefined && ended.state === 'failed' ? { ...ended, message: failure } : ended
  })
  return { ...before, state, ended_at: now, steps }
}

const endStep = (step: StepView, state: 'done' | 'failed', now: string): StepView =>
  step.state === 'running' ? { ...step, state, ended_at: now, ...(state === 'done' && { message: null }) } : step

const slug = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]+/g, '-')
