import type { ChangeTopic } from './changes.ts'
import type { Change } from './events.ts'

const TONES: Readonly<Record<string, Change['tone']>> = { ready: 'good', deleted: 'good', error: 'bad' }

/** Products and templates are for every user, a deployment for its owner. */
export const appsChanges: ChangeTopic = {
  topic: 'apps',
  publicKinds: ['Product', 'Template'],
  describe({ columns }) {
    const { deployment_uid: name, status, 'last_error.code': failure } = columns
    if (typeof status !== 'string') return { reason: 'Changed', message: '', tone: 'info' }
    const because = typeof failure === 'string' ? ` (${failure})` : ''
    return { reason: status, message: `${String(name)} is ${status}${because}`, tone: TONES[status] ?? 'wait' }
  },
}
