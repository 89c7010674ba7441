import { createHash } from 'node:crypto'
import { systemClock, type Clock } from '../kernel/index.ts'
import type { Reader, Writer } from './client/client.ts'
import { isAlreadyExists, isNotFound } from './errors.ts'
import { microTime } from './lease/record.ts'
import type { KubeObject } from './objects.ts'
import { Event } from './types/events-v1.ts'

export interface Happened {
  readonly type: 'Normal' | 'Warning'
  /** A fact in PascalCase: `InstallSucceeded`. */
  readonly reason: string
  /** The action in PascalCase: `Install`. */
  readonly action: string
  readonly note: string
}

/**
 * Writes Kubernetes Events about objects.
 *
 * - Harmless: `record` returns at once and never throws; an event that cannot be written is reported to `onLost`.
 * - Compact: equal events of one object are one Event with a count, also after a restart.
 * - Bounded: new events of one object are limited after a burst, and counts are written at intervals.
 */
export interface EventRecorder {
  record(about: KubeObject, happened: Happened): void
  /** Writes all pending events and counts. */
  flush(): Promise<void>
}

export interface EventRecorderOptions {
  readonly client: Reader & Writer
  /** The reporting controller: `caelus.dev/apps`. */
  readonly controller: string
  /** The reporting instance: the name of the pod. */
  readonly instance: string
  readonly clock?: Clock
  readonly onLost?: (error: unknown) => void
}

/** The burst of new events for one object, and the time after which one more is allowed. */
const BURST = 25
const REFILL_MS = 300_000
/** The count of a repeated event is written at most this often. */
const COUNT_EVERY_MS = 30_000
/** The most objects and events that are remembered; the least recently used are evicted. */
const CAPACITY = 4096
/** In bytes, the limit of the server. */
const NOTE_LENGTH = 1024

interface Series {
  readonly event: Event
  /** Repetitions since the last write. */
  unwritten: number
  writtenAt: number
  /** Writes are serialized: a count that overtakes the creation would start again. */
  writing: Promise<void>
}

export function eventRecorder(options: EventRecorderOptions): EventRecorder {
  const { client, controller, instance, clock = systemClock, onLost = () => {} } = options
  const series = new Map<string, Series>()
  const buckets = new Map<string, { tokens: number; at: number }>()
  const outstanding = new Set<Promise<void>>()

  const allowed = (object: string): boolean => {
    const now = clock.now()
    const { tokens, at } = buckets.get(object) ?? { tokens: BURST, at: now }
    const refilled = Math.min(BURST, tokens + (now - at) / REFILL_MS)
    remember(buckets, object, { tokens: refilled < 1 ? refilled : refilled - 1, at: now })
    return refilled >= 1
  }

  const background = (work: Promise<void>): void => {
    const handled = work.catch(onLost).finally(() => outstanding.delete(handled))
    outstanding.add(handled)
  }

  /** The name is a hash of the content, so that an equal event of another process exists already. */
  const create = async (event: Event): Promise<void> => {
    try {
      await client.create(Event, event)
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
      await count(event, 1)
    }
  }

  const count = async (event: Event, more: number): Promise<void> => {
    const at = { namespace: event.metadata.namespace ?? 'default', name: event.metadata.name }
    const before = await client.get(Event, at)
    const counted = { count: (before?.series?.count ?? 1) + more, lastObservedTime: microTime(clock.now()) }
    try {
      await client.patch(Event, at, { merge: { series: counted } })
    } catch (error) {
      // The server deletes events after an hour; then the event is created again.
      if (!isNotFound(error)) throw error
      await client.create(Event, { ...event, eventTime: microTime(clock.now()) })
    }
  }

  const writeCount = (entry: Series): void => {
    const more = entry.unwritten
    if (more === 0) return
    entry.unwritten = 0
    entry.writtenAt = clock.now()
    entry.writing = entry.writing.catch(() => {}).then(() => count(entry.event, more))
    background(entry.writing)
  }

  const note = (about: KubeObject, happened: Happened): void => {
    const event = eventOf(about, happened, { controller, instance, now: clock.now() })
    const key = `${event.metadata.namespace}/${event.metadata.name}`
    const known = series.get(key)
    if (known !== undefined) {
      remember(series, key, known)
      known.unwritten++
      if (clock.now() - known.writtenAt >= COUNT_EVERY_MS) writeCount(known)
      return
    }
    if (!allowed(about.metadata.uid ?? about.metadata.name)) return
    const writing = create(event)
    remember(series, key, { event, unwritten: 0, writtenAt: clock.now(), writing })
    background(writing)
  }

  return {
    record(about, happened) {
      try {
        note(about, happened)
      } catch (error) {
        onLost(error)
      }
    },
    async flush() {
      for (const entry of series.values()) writeCount(entry)
      await Promise.all(outstanding)
    },
  }
}

interface Reporter {
  readonly controller: string
  readonly instance: string
  readonly now: number
}

function eventOf(
  about: KubeObject,
  { type, reason, action, note }: Happened,
  { controller, instance, now }: Reporter,
): Event {
  const { name, namespace, uid, resourceVersion } = about.metadata
  const content = [about.apiVersion, about.kind, namespace, name, uid, type, reason, action, note, controller]
  const hash = createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16)
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: `${name.slice(0, 200)}.${hash}`, namespace: namespace ?? 'default' },
    type,
    reason,
    action,
    note: shortened(note),
    eventTime: microTime(now),
    reportingController: controller,
    reportingInstance: instance,
    regarding: {
      apiVersion: about.apiVersion,
      kind: about.kind,
      name,
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    },
  }
}

function shortened(note: string): string {
  const bytes = Buffer.from(note)
  if (bytes.length <= NOTE_LENGTH) return note
  // Decoding as a stream drops an incomplete character at the end.
  return `${new TextDecoder().decode(bytes.subarray(0, NOTE_LENGTH - 3), { stream: true })}...`
}

/** Adds to a map in order of last use, and evicts the oldest entry above `CAPACITY`. */
function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= CAPACITY) return
  const oldest = map.keys().next()
  if (!oldest.done) map.delete(oldest.value)
}
