import { durationText } from '../../../lib/age.ts'
import type { ReconcileJobView } from '../../../lib/api/contract.ts'
import type { Spoken } from '../../../lib/tone.ts'

type Job = Pick<ReconcileJobView, 'status' | 'frozen' | 'run_after'>

export const JOB_STATES = ['queued', 'running', 'failed', 'done'] as const satisfies readonly Job['status'][]

export const isOpen = ({ status }: Pick<Job, 'status'>): boolean => status === 'queued' || status === 'running'

/** A frozen job is queued as well; what matters is why it is not claimed. */
export function spokenJob({ status, frozen }: Pick<Job, 'status' | 'frozen'>): Spoken {
  switch (status) {
    case 'running':
      return { tone: 'wait', word: 'Running' }
    case 'queued':
      return frozen ? { tone: 'info', word: 'Frozen' } : { tone: 'wait', word: 'Queued' }
    case 'done':
      return { tone: 'good', word: 'Done' }
    case 'failed':
      return { tone: 'bad', word: 'Given up' }
    default:
      return status satisfies never
  }
}

export function nextTryText(job: Job, now: number): string {
  if (job.status === 'running') return 'now'
  if (job.status !== 'queued') return '—'
  if (job.frozen) return 'when unfrozen'
  const wait = Date.parse(job.run_after) - now
  return wait <= 0 ? 'now' : `in ${durationText(wait)}`
}
