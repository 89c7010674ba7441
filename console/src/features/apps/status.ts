import type { DeploymentStatus, DeploymentView } from '../../lib/api/contract.ts'
import type { Spoken } from '../../lib/tone.ts'

const WORDS: Record<DeploymentStatus, Spoken> = {
  pending: { tone: 'wait', word: 'Ordered' },
  provisioning: { tone: 'wait', word: 'Being set up' },
  ready: { tone: 'good', word: 'Ready' },
  upgrading: { tone: 'wait', word: 'Being changed' },
  degraded: { tone: 'bad', word: 'Degraded' },
  stalled: { tone: 'bad', word: 'Stalled' },
  deleting: { tone: 'wait', word: 'Being deleted' },
  deleted: { tone: 'info', word: 'Deleted' },
  error: { tone: 'bad', word: 'Failed' },
}

/** A status that a newer server has is shown as it is. */
export const statusWord = (status: DeploymentStatus): Spoken => WORDS[status] ?? { tone: 'info', word: status }

const BAD: ReadonlySet<DeploymentStatus> = new Set(['error', 'degraded', 'stalled'])

type Shown = Pick<DeploymentView, 'status' | 'suspended_at' | 'generation' | 'observed_generation' | 'last_error'>

/** The one word for a deployment, and the sentence behind it. */
export function headline(deployment: Shown): Spoken & { readonly why: string } {
  const { status, generation, observed_generation: seen, last_error: error } = deployment
  const word = statusWord(status)
  if (deployment.suspended_at !== null && status !== 'deleting' && status !== 'deleted') {
    return { tone: 'info', word: 'Suspended', why: 'it is left as it is until it is resumed' }
  }
  if (BAD.has(status)) return { ...word, why: error?.message ?? 'no reason was recorded' }
  if (status === 'ready' && seen < generation) {
    return { tone: 'wait', word: 'Change waiting', why: 'the last change is saved and not applied yet' }
  }
  return { ...word, why: error === null ? '' : `the last try failed: ${error.message}` }
}
