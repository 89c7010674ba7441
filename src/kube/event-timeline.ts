import { timelineEntry, type TimelineEntry } from '../kernel/index.ts'
import type { Event } from './resources.ts'

/** A Kubernetes Event as a timeline entry about `object`. `undefined`: the event has no time. */
export function eventEntry(event: Event, object: string | null): TimelineEntry | undefined {
  const last = event.series?.lastObservedTime ?? event.deprecatedLastTimestamp ?? event.eventTime
  const at = Date.parse(last ?? event.metadata.creationTimestamp ?? '')
  if (Number.isNaN(at)) return undefined
  return timelineEntry({
    at,
    source: 'event',
    actor: event.reportingController || (event.deprecatedSource?.component ?? null),
    object,
    what: event.reason ?? '',
    message: event.note ?? '',
    count: event.series?.count ?? event.deprecatedCount ?? 1,
    tone: event.type === 'Warning' ? 'bad' : 'info',
  })
}
