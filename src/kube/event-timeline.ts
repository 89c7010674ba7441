import { timelineEntry, type TimelineEntry } from '../kernel/index.ts'
import type { Event } from './resources.ts'

/** What an Event is about: a child such as `Pod/shop-1`, `null` for the object itself, `undefined` for another object. */
type About = (uid: string) => string | null | undefined

/** Kubernetes Events as entries. Those about other objects, and those without a time, are left out. */
export const kubeEventEntries = (events: readonly Event[], about: About): TimelineEntry[] =>
  events.flatMap((event) => {
    const object = about(event.regarding?.uid ?? '')
    const last = event.series?.lastObservedTime ?? event.deprecatedLastTimestamp ?? event.eventTime
    const at = Date.parse(last ?? event.metadata.creationTimestamp ?? '')
    if (object === undefined || Number.isNaN(at)) return []
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
  })
