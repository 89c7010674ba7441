import {
  asUser,
  auditEntries,
  auditOf,
  actorName,
  decisionEntries,
  decisionsOf,
  PLATFORM,
  type Actor,
  type AuditRow,
} from '../../../store/index.ts'
import { mergeTimeline, timelineEntry, type TimelineEntry } from '../../../kernel/index.ts'
import type { Decision } from '../decide.ts'
import { clusterKey, CLUSTERS_QUEUE } from '../queue.ts'
import { emailsIn, listEvents, type StoredEvent } from '../store/index.ts'
import type { ClusterEventType } from '../types.ts'
import { ACCESS_ACTION, auditText, decisionText } from '../words.ts'
import { visibleCluster } from './access.ts'
import type { InsightDeps } from './insight-deps.ts'
import { eventActor } from './read.ts'

/** Audit rows, decisions and events. Only text made for people is taken from them. */
export function timeline(
  { pool }: InsightDeps,
  actor: Actor,
  organizationId: string,
  id: string,
  limit = 100,
): Promise<readonly TimelineEntry[]> {
  return asUser(pool, actor, async (tx) => {
    await visibleCluster(tx, organizationId, id)
    const changes = await auditOf(tx, clusterKey(id), limit, { but: ACCESS_ACTION })
    const accesses = await auditOf(tx, clusterKey(id), limit, { only: ACCESS_ACTION })
    const decisions = await decisionsOf(tx, CLUSTERS_QUEUE, clusterKey(id), limit)
    const { items: events } = await listEvents(tx, id, { limit })
    const emails = await emailsIn(
      tx,
      organizationId,
      [...changes, ...events].map((entry) => entry.actor),
    )
    const nameOf = eventActor(actor, emails)
    const ofEvent = eventEntry(nameOf)
    const message = ({ action, detail }: AuditRow): string => auditText(action, detail)
    return mergeTimeline(
      limit,
      auditEntries(changes, { actor: actorName(actor, emails), message }),
      byDay(auditEntries(accesses, { actor: nameOf, message })),
      decisionEntries(decisions, decisionWords),
      // Whoever asked for a sync is in the audit.
      events.filter(({ type }) => type !== 'sync_requested').map(ofEvent),
    )
  })
}

/** Caelus renews its kubeconfigs every hour: those of one process count as one entry a day, the newest. */
function byDay(entries: readonly TimelineEntry[]): TimelineEntry[] {
  const days = new Map<string, TimelineEntry>()
  for (const entry of entries) {
    const day = `${entry.actor} ${new Date(entry.at).toISOString().slice(0, 10)}`
    const newer = days.get(day)
    days.set(day, newer === undefined ? { ...entry, what: 'kubeconfig' } : { ...newer, count: newer.count + 1 })
  }
  return [...days.values()]
}

function decisionWords(decision: unknown): Pick<TimelineEntry, 'actor' | 'what' | 'message' | 'tone'> {
  const made = decision as Decision
  const { do: what } = made.step
  const tone = what === 'refuse' ? 'bad' : what === 'nothing' ? 'good' : 'wait'
  return { actor: PLATFORM, what, message: decisionText(made), tone }
}

const TONES: Readonly<Partial<Record<ClusterEventType, TimelineEntry['tone']>>> = {
  sync_succeeded: 'good',
  sync_failed: 'bad',
  status_ready: 'good',
  status_error: 'bad',
  status_deleted: 'good',
}

const eventEntry =
  (name: (actor: string) => string) =>
  ({ type, actor, message, createdAt }: StoredEvent): TimelineEntry =>
    timelineEntry({
      at: createdAt,
      source: type.startsWith('status_') ? 'phase' : 'job',
      actor: name(actor),
      what: type.replace(/^(?:sync|status)_/, ''),
      message: message ?? type,
      tone: TONES[type] ?? 'wait',
    })
