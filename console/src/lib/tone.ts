import type { DecisionView, Health, ResourceView, RuntimeChildView, StepView } from './api/contract.ts'

/** How a state feels. Never shown by colour alone: each tone has its own icon. */
export type Tone = 'good' | 'wait' | 'bad' | 'info'

/** A state as people say it. */
export interface Spoken {
  readonly tone: Tone
  readonly word: string
}

const HEALTH: Record<Health, Spoken> = {
  ok: { tone: 'good', word: 'Healthy' },
  preparing: { tone: 'wait', word: 'Preparing' },
  degraded: { tone: 'bad', word: 'Degraded' },
  down: { tone: 'bad', word: 'Down' },
  disabled: { tone: 'info', word: 'Not enabled' },
}

export const spokenHealth = (health: Health): Spoken => HEALTH[health] ?? { tone: 'info', word: health }

type ObjectHealth = ResourceView['health'] | RuntimeChildView['health']

const OBJECT_HEALTH: Record<ObjectHealth, Spoken> = {
  ready: { tone: 'good', word: 'Ready' },
  progressing: { tone: 'wait', word: 'Progressing' },
  failing: { tone: 'bad', word: 'Failing' },
  missing: { tone: 'bad', word: 'Missing' },
  deleting: { tone: 'wait', word: 'Being deleted' },
  unknown: { tone: 'info', word: 'Unknown' },
}

/** How an object in the control plane is, in the same words whichever domain made it. */
export const spokenObjectHealth = (health: ObjectHealth): Spoken =>
  OBJECT_HEALTH[health] ?? { tone: 'info', word: health }

const STEP: Record<StepView['state'], Spoken> = {
  waiting: { tone: 'info', word: 'Waiting' },
  running: { tone: 'wait', word: 'Running' },
  done: { tone: 'good', word: 'Done' },
  failed: { tone: 'bad', word: 'Failed' },
}

export const spokenStep = (state: StepView['state']): Spoken => STEP[state]

const OUTCOME: Record<NonNullable<DecisionView['outcome']>, Spoken> = {
  settled: { tone: 'good', word: 'Settled' },
  checkAgain: { tone: 'wait', word: 'Checks again' },
  retry: { tone: 'bad', word: 'Retries' },
  terminal: { tone: 'bad', word: 'Stopped' },
  lost: { tone: 'info', word: 'Lease lost' },
  handedBack: { tone: 'info', word: 'Handed back' },
}

export const spokenOutcome = (outcome: NonNullable<DecisionView['outcome']>): Spoken =>
  OUTCOME[outcome] ?? { tone: 'info', word: outcome }

/** Every way in which a run can end, for a choice. */
export const OUTCOMES = Object.entries(OUTCOME).map(([value, { word }]) => ({ value, label: word }))

/** The worst of several, for a summary of them. */
export function worstTone(tones: readonly Tone[]): Tone {
  const order: readonly Tone[] = ['bad', 'wait', 'good', 'info']
  return order.find((tone) => tones.includes(tone)) ?? 'info'
}
