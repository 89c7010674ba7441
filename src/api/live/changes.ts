import { CHANGES, type Listener, type RowChange } from '../../store/index.ts'
import type { Audience, Change, Events } from './events.ts'
import { organizationChanges } from './organizations.ts'

/** How the changes of a domain's rows become events. */
export interface ChangeTopic {
  /** The first argument of the triggers on its tables, and the topic of the events. */
  readonly topic: string
  /** Kinds without a tenant that every user may see. Changes of others without a tenant are for admins. */
  readonly publicKinds?: readonly string[]
  readonly describe: (change: RowChange) => ChangeDescription
}

export interface ChangeDescription extends Pick<Change, 'reason' | 'message' | 'tone'> {
  /** A user or an organization: readers who have this tenant may have others now. They see the event as well. */
  readonly changesTenantsOf?: string
  /** Whether it is listed, besides being sent. @default true */
  readonly isNews?: boolean
}

export interface ChangesOptions {
  readonly listener: Pick<Listener, 'subscribe'>
  readonly events: Events
  /** Of the domains. Organizations are always among them. */
  readonly topics: readonly ChangeTopic[]
}

/** Publishes changes of rows, whichever process made them. Changes of a topic that is not known are ignored. */
export function publishChanges({ listener, events, topics }: ChangesOptions): () => void {
  const known = new Map([organizationChanges, ...topics].map((topic) => [topic.topic, topic]))
  let connections = 0
  return listener.subscribe(CHANGES, (payload) => {
    if (payload === undefined) {
      connections += 1
      events.changeTenants()
      if (connections > 1) for (const topic of known.keys()) events.publish(missed(topic), 'all')
      return
    }
    const change = JSON.parse(payload) as RowChange
    const topic = known.get(change.topic)
    if (topic !== undefined) publishChange(events, topic, change)
  })
}

function publishChange(events: Events, { topic, describe, publicKinds = [] }: ChangeTopic, change: RowChange): void {
  const { kind, id, tenant } = change
  const { changesTenantsOf, isNews = true, ...text } = describe(change)
  const tenants = [tenant, changesTenantsOf].filter((one) => typeof one === 'string')
  const unowned: Audience = publicKinds.includes(kind) ? 'all' : 'admins'
  events.publish({ topic, kind, object_id: id, ...text }, tenants.length > 0 ? { tenants } : unowned, isNews)
  if (changesTenantsOf !== undefined) events.changeTenants(changesTenantsOf)
}

/** The connection was replaced: changes in between were not received, so that everything may be outdated. */
const missed = (topic: string): Change => ({
  topic,
  kind: 'Topic',
  object_id: topic,
  reason: 'Missed',
  message: 'changes may have been missed',
  tone: 'info',
})
