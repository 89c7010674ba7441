import type { ChangeTopic } from './changes.ts'
import type { Change } from './events.ts'

const TONES: Readonly<Record<string, Change['tone']>> = { ready: 'good', deleted: 'good', error: 'bad' }

/** A cluster, its node pools and its state are one object, for the members of its organization. */
export const clustersChanges: ChangeTopic = {
  topic: 'clusters',
  describe({ columns }) {
    const { name, shoot_status: status, 'sync_failure.code': failure } = columns
    if (typeof status !== 'string') return { reason: 'Changed', message: '', tone: 'info' }
    const hasFailed = typeof failure === 'string'
    return {
      reason: status,
      message: `${String(name)} is ${status}${hasFailed ? ` (${failure})` : ''}`,
      tone: hasFailed ? 'bad' : (TONES[status] ?? 'wait'),
    }
  },
}
