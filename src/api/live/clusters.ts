import type { ChangeTopic } from './changes.ts'
import type { Change } from './events.ts'

const TONES: Readonly<Record<string, Change['tone']>> = { ready: 'good', deleted: 'good', error: 'bad' }

/**
 * A cluster, its node pools and its state are one object, for the members of its organization. That an app in it changed is sent,
 * so that lists are read again, and is no news of theirs.
 */
export const clustersChanges: ChangeTopic = {
  topic: 'clusters',
  describe({ kind, id, columns }) {
    if (kind === 'ClusterApp') return { ...appText(id, columns['status']), isNews: false }
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

const appText = (name: string, status: unknown): Pick<Change, 'reason' | 'message' | 'tone'> => ({
  reason: String(status),
  message: `${name} is ${String(status)}`,
  tone: 'info',
})
