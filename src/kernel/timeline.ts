/**
 * Where an entry comes from. audit: a person or program changed it; decision: the controller decided; job: a run of the
 * worker began or ended; event: a Kubernetes Event; phase: its phase changed.
 */
export const TIMELINE_SOURCES = ['audit', 'decision', 'job', 'event', 'phase'] as const
export type TimelineSource = (typeof TIMELINE_SOURCES)[number]

/** One entry of the history of an object, the same for every domain. It holds text for people, never inputs or values. */
export interface TimelineEntry {
  readonly at: number
  readonly source: TimelineSource
  /** An email, an id, or the name of a process or controller; `null`: unknown. */
  readonly actor: string | null
  /** The child that it is about, such as `Pod/shop-1`; `null`: the object itself. */
  readonly object: string | null
  /** One word: `created`, `install`, `available`. */
  readonly what: string
  /** A sentence, lower case and without a full stop. */
  readonly message: string
  /** How often it was reported. */
  readonly count: number
  readonly tone: 'good' | 'wait' | 'bad' | 'info'
}

export const timelineEntry = (
  known: Pick<TimelineEntry, 'at' | 'source' | 'what' | 'message'> & Partial<TimelineEntry>,
): TimelineEntry => ({ actor: null, object: null, count: 1, tone: 'info', ...known })

/** The newest entries of all sources, newest first. Entries of one moment keep the order of the sources. */
export const mergeTimeline = (limit: number, ...sources: readonly (readonly TimelineEntry[])[]): TimelineEntry[] =>
  sources
    .flat()
    .toSorted((a, b) => b.at - a.at)
    .slice(0, limit)
