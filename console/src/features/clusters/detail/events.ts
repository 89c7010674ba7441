import type { TimelineLine } from '../../../components/insight/Timeline.tsx'
import type { ClusterEventView } from '../../../lib/api/contract.ts'
import { sentence } from '../../../lib/sentence.ts'
import type { Tone } from '../../../lib/tone.ts'

const TONES: Record<ClusterEventView['type'], Tone> = {
  sync_requested: 'info',
  sync_claimed: 'wait',
  sync_succeeded: 'good',
  sync_failed: 'bad',
  status_progressing: 'wait',
  status_ready: 'good',
  status_error: 'bad',
  status_deleting: 'wait',
  status_deleted: 'info',
}

export const lineOfEvent = ({ id, type, actor, message, attempt, created_at }: ClusterEventView): TimelineLine => ({
  id,
  at: created_at,
  reason: type.replaceAll('_', ' '),
  message: [
    ...(message === null || message === '' ? [] : [sentence(message)]),
    ...(attempt === null || attempt === 0 ? [] : [`Attempt ${attempt}.`]),
  ].join(' '),
  tone: TONES[type] ?? 'info',
  about: actor,
})
