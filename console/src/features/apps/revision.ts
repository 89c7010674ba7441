import type { RevisionView } from '../../lib/api/contract.ts'
import { sentence } from '../../lib/sentence.ts'
import type { Spoken } from '../../lib/tone.ts'

const OUTCOMES: Record<RevisionView['outcome'], Spoken> = {
  pending: { tone: 'wait', word: 'On its way' },
  ready: { tone: 'good', word: 'Was ready' },
  failed: { tone: 'bad', word: 'Failed' },
  rolled_back: { tone: 'bad', word: 'Failed, taken back' },
  superseded: { tone: 'info', word: 'Superseded' },
}

export const spokenRevision = (outcome: RevisionView['outcome']): Spoken =>
  OUTCOMES[outcome] ?? { tone: 'info', word: outcome }

/** What was changed, as a sentence. */
export function revisionText({ generation, changed, rolled_back_to: to }: RevisionView): string {
  const back = to === null ? [] : [`back to ${to}`]
  const fields = (changed ?? []).map((field) => field.replace(/^user_values\./, ''))
  const what = fields.length > 0 ? [`changed: ${fields.join(', ')}`] : []
  const said = [...back, ...what].join('; ')
  if (said !== '') return sentence(said)
  return generation === 1 ? 'Ordered' : 'What changed is not known any more'
}
