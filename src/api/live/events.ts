import { randomBytes } from 'node:crypto'
import type { Clock } from '../../kernel/index.ts'
import { notOurs } from '../../store/index.ts'
import type { Identity } from '../auth/identity.ts'
import type { EventView } from '../contract/index.ts'

export type Change = Omit<EventView, 'id' | 'at'>

/** Whether a caller may see a change. Absent: every member may. */
export type Audience = (identity: Identity) => boolean

interface Kept {
  readonly event: EventView
  readonly audience: Audience
}

export interface Events {
  /** Sends a change to all listeners. A change that repeats the last one of its object is sent but not listed. */
  publish(change: Change, audience?: Audience): void
  /**
   * The news that `identity` may see, newest first; `before`: only those older than the one with this id, none if it is no
   * longer known.
   */
  recent(identity: Identity, before?: string): EventView[]
  /** What came after the event with this id, oldest first; `tooOld` when that is no longer known. */
  after(id: string, identity: Identity): EventView[] | 'tooOld'
  onPublish(listener: (event: EventView, audience: Audience) => void): () => void
}

const everyone: Audience = () => true

const EVENT_ID = /^([0-9a-f]+)-(\d+)$/

/**
 * The latest changes of this process, in a ring.
 *
 * Ids are `<boot>-<number>`: one from before a restart, or from another replica, is told from one of ours and answered
 * with `tooOld`, after which a client reads everything anew.
 */
export function eventRing(clock: Clock, size = 1000): Events {
  const boot = randomBytes(4).toString('hex')
  const ring: Kept[] = []
  const news: Kept[] = []
  const listeners = new Set<(event: EventView, audience: Audience) => void>()
  let count = 0
  const keep = (kept: Kept[], one: Kept): void => {
    kept.push(one)
    if (kept.length > size) kept.shift()
  }
  return {
    publish(change, audience = everyone) {
      const event = { ...change, id: `${boot}-${++count}`, at: new Date(clock.now()).toISOString() }
      const kept = { event, audience }
      const last = news.findLast(({ event: other }) => isAboutTheSame(other, change))?.event
      if (last === undefined || !saysTheSame(last, change)) keep(news, kept)
      keep(ring, kept)
      for (const listener of listeners) listener(event, audience)
    },
    recent(identity, before) {
      if (before !== undefined && !EVENT_ID.test(before)) throw notOurs()
      const end = before === undefined ? news.length : news.findIndex(({ event }) => event.id === before)
      return news
        .slice(0, Math.max(0, end))
        .filter(({ audience }) => audience(identity))
        .map(({ event }) => event)
        .toReversed()
    },
    after(id, identity) {
      const [, from, number] = EVENT_ID.exec(id) ?? []
      const missed = count - Number(number)
      if (from !== boot || missed < 0 || missed > ring.length) return 'tooOld'
      return ring
        .slice(ring.length - missed)
        .filter(({ audience }) => audience(identity))
        .map(({ event }) => event)
    },
    onPublish(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

const isAboutTheSame = (a: Change, b: Change): boolean =>
  a.object_id === b.object_id && a.kind === b.kind && a.topic === b.topic

const saysTheSame = (a: Change, b: Change): boolean =>
  a.reason === b.reason && a.message === b.message && a.tone === b.tone
