import { CHANGES, type Listener } from '../../store/index.ts'
import type { Change, Events } from './events.ts'

interface Notice {
  readonly kind: 'Deployment' | 'Product' | 'Template'
  readonly id: string
  /** The rest is of deployments. */
  readonly name?: string
  readonly user?: string
  readonly status?: string
  readonly failure?: string | null
}

/**
 * Turns what the database tells about apps into events, whichever process made the change. Answers how to stop.
 *
 * Tenants hear of their own deployments only; products and templates are everybody's.
 */
export function tellAppsChanges(listener: Pick<Listener, 'subscribe'>, events: Events): () => void {
  let connections = 0
  return listener.subscribe(CHANGES, (payload) => {
    if (payload === undefined) {
      connections += 1
      if (connections > 1) events.publish(MISSED, 'all')
      return
    }
    const notice = JSON.parse(payload) as Notice
    const { user } = notice
    events.publish(changeOf(notice), user === undefined ? 'all' : { tenants: [user] })
  })
}

/** The connection was replaced: what came in between was not heard, so that everything may be outdated. */
const MISSED: Change = {
  topic: 'apps',
  kind: 'Apps',
  object_id: 'apps',
  reason: 'Missed',
  message: 'changes may have been missed',
  tone: 'info',
}

const TONES: Readonly<Record<string, Change['tone']>> = { ready: 'good', deleted: 'good', error: 'bad' }

function changeOf({ kind, id, name, status, failure }: Notice): Change {
  const change = { topic: 'apps', kind, object_id: id }
  if (status === undefined) return { ...change, reason: 'Changed', message: '', tone: 'info' }
  const because = failure === undefined || failure === null ? '' : ` (${failure})`
  return { ...change, reason: status, message: `${name} is ${status}${because}`, tone: TONES[status] ?? 'wait' }
}
