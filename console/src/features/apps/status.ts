import type { DeploymentStatus, DeploymentView, ResourceView } from '../../lib/api/contract.ts'
import type { Tone } from '../../lib/tone.ts'

interface Headline {
  readonly tone: Tone
  readonly word: string
  readonly why: string
}

const WORDS: Record<DeploymentStatus, Omit<Headline, 'why'>> = {
  pending: { tone: 'wait', word: 'Ordered' },
  provisioning: { tone: 'wait', word: 'Being set up' },
  ready: { tone: 'good', word: 'Ready' },
  upgrading: { tone: 'wait', word: 'Being changed' },
  deleting: { tone: 'wait', word: 'Being deleted' },
  deleted: { tone: 'info', word: 'Deleted' },
  error: { tone: 'bad', word: 'Failed' },
}

type Shown = Pick<DeploymentView, 'status' | 'generation' | 'observed_generation' | 'last_error'>

/** The one word for a deployment, and the sentence behind it. */
export function headline({ status, generation, observed_generation: seen, last_error: error }: Shown): Headline {
  const word = WORDS[status] ?? { tone: 'info', word: status }
  if (status === 'error') return { ...word, why: error?.message ?? 'no reason was recorded' }
  if (status === 'ready' && seen < generation) {
    return { tone: 'wait', word: 'Change waiting', why: 'the last change is saved and not applied yet' }
  }
  return { ...word, why: error === null ? '' : `the last try failed: ${error.message}` }
}

const HEALTH: Record<ResourceView['health'], { readonly tone: Tone; readonly word: string }> = {
  ready: { tone: 'good', word: 'Ready' },
  progressing: { tone: 'wait', word: 'Progressing' },
  failing: { tone: 'bad', word: 'Failing' },
  missing: { tone: 'bad', word: 'Missing' },
  unknown: { tone: 'info', word: 'Unknown' },
}

export const spokenHealth = (health: ResourceView['health']): { readonly tone: Tone; readonly word: string } =>
  HEALTH[health] ?? { tone: 'info', word: health }
