import type { RuntimeMode, RuntimePhase, RuntimeSummary } from '../../lib/api/contract.ts'
import type { Spoken, Tone } from '../../lib/tone.ts'

const PHASES: Record<RuntimePhase, Spoken> = {
  pending: { tone: 'wait', word: 'Pending' },
  applying: { tone: 'wait', word: 'Applying' },
  progressing: { tone: 'wait', word: 'Progressing' },
  available: { tone: 'good', word: 'Available' },
  degraded: { tone: 'bad', word: 'Degraded' },
  deleting: { tone: 'wait', word: 'Being deleted' },
}

export const phaseChoices = Object.entries(PHASES).map(([value, { word }]) => ({ value, label: word }))

type Shown = Pick<RuntimeSummary, 'phase' | 'generation' | 'observed_generation' | 'message' | 'reason'>

/** The one word for a runtime, and the sentence behind it. */
export function headline(runtime: Shown): Spoken & { readonly why: string } {
  const { phase, generation, observed_generation: seen, message, reason } = runtime
  const spoken = PHASES[phase] ?? { tone: 'info', word: phase }
  if (phase === 'available' && (seen ?? 0) < generation) {
    return { tone: 'wait', word: 'Change waiting', why: 'the last change is saved and not acted upon yet' }
  }
  return { ...spoken, why: phase === 'degraded' && reason !== null ? `${reason}: ${message}` : message }
}

export const functionsText = ({
  functions_ready: ready,
  functions_total: total,
}: Pick<RuntimeSummary, 'functions_ready' | 'functions_total'>): string => `${ready}/${total}`

const MODES: Record<RuntimeMode, string> = {
  off: 'Recommendations are not looked at.',
  observe: 'Recommendations are shown and not applied.',
  enforce: 'Recommendations are put into effect.',
}

export const modeText = (mode: RuntimeMode): string => MODES[mode] ?? mode

/** A condition that something is wrong is good news when it does not hold. */
export function conditionTone(type: string, status: 'True' | 'False' | 'Unknown'): Tone {
  if (status === 'Unknown') return 'info'
  if (type === 'Degraded') return status === 'True' ? 'bad' : 'good'
  if (type === 'Progressing') return status === 'True' ? 'wait' : 'info'
  if (type === 'Available') return status === 'True' ? 'good' : 'wait'
  return status === 'True' ? 'good' : 'info'
}
