import { randomBytes } from 'node:crypto'
import type { Clock } from '../../kernel/index.ts'
import { notOurs } from '../../store/index.ts'
import type { Identity } from '../auth/identity.ts'
import type { EventView } from '../contract/index.ts'

export type Change = Omit<EventView, 'id' | 'at'>

/** Who may see a change. Admins see the changes of all tenants, and not those for one user. */
export type Audience = 'all' | 'admins' | { readonly user: string } | { readonly tenants: readonly string[] }

/** A caller, and the tenants whose objects they see: themselves and their organizations. */
export interface Reader extends Pick<Identity, 'userId' | 'role'> {
  readonly tenants: readonly string[]
}

export interface Published {
  readonly event: EventView
  readonly audience: Audience
}

export interface Events {
  /**
   * Sends a change to all listeners. One that is no news, or that repeats the last one of its object, is sent but not listed.
   * `isNews`: @default true
   */
  publish(change: Change, audience: Audience, isNews?: boolean): void
  /**
   * The news that `reader` may see, newest first; `before`: only those older than the one with this id, none if it is no
   * longer known.
   */
  recent(reader: Reader, before?: string): EventView[]
  /** What came after the event with this id, for whomever, oldest first; `tooOld` when that is no longer known. */
  after(id: string): Published[] | 'tooOld'
  onPublish(listener: (event: EventView, audience: Audience) => void): () => void
  /** Says that readers may have other tenants now: those who have this one, or all. */
  changeTenants(of?: string): void
  onChangeTenants(listener: (of?: string) => void): () => void
}

export function maySee({ userId, role, tenants }: Reader, audience: Audience): boolean {
  if (audience === 'all') return true
  if (audience === 'admins') return role === 'admin'
  if ('user' in audience) return userId === audience.user
  return role === 'admin' || audience.tenants.some((tenant) => tenants.includes(tenant))
}

const EVENT_ID = /^([0-9a-f]+)-(\d+)$/

/**
 * The latest changes of this process, in a ring.
 *
 * Ids are `<boot>-<number>`: one from before a restart, or from another replica, is told from one of ours and answered
 * with `tooOld`, after which a client reads everything anew.
 */
export function eventRing(clock: Clock, size = 1000): Events {
  const boot = randomBytes(4).toString('hex')
  const ring: Published[] = []
  const news: Published[] = []
  const listeners = new Set<Parameters<Events['onPublish']>[0]>()
  const readers = new Set<Parameters<Events['onChangeTenants']>[0]>()
  let count = 0
  const keep = (kept: Published[], one: Published): void => {
    kept.push(one)
    if (kept.length > size) kept.shift()
  }
  return {
    publish(change, audience, isNews = true) {
      const event = { ...change, id: `${boot}-${++count}`, at: new Date(clock.now()).toISOString() }
      const kept = { event, audience }
      const last = news.findLast(({ event: other }) => isAboutTheSame(other, change))?.event
      if (isNews && (last === undefined || !saysTheSame(last, change))) keep(news, kept)
      keep(ring, kept)
      for (const listener of listeners) listener(event, audience)
    },
    recent(reader, before) {
      if (before !== undefined && !EVENT_ID.test(before)) throw notOurs()
      const end = before === undefined ? news.length : news.findIndex(({ event }) => event.id === before)
      return news
        .slice(0, Math.max(0, end))
        .filter(({ audience }) => maySee(reader, audience))
        .map(({ event }) => event)
        .toReversed()
    },
    after(id) {
      const [, from, number] = EVENT_ID.exec(id) ?? []
      const missed = count - Number(number)
      if (from !== boot || missed < 0 || missed > ring.length) return 'tooOld'
      return ring.slice(ring.length - missed)
    },
    onPublish(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    changeTenants: (of) => readers.forEach((reader) => reader(of)),
    onChangeTenants(reader) {
      readers.add(reader)
      return () => void readers.delete(reader)
    },
  }
}

const isAboutTheSame = (a: Change, b: Change): boolean =>
  a.object_id === b.object_id && a.kind === b.kind && a.topic === b.topic

const saysTheSame = (a: Change, b: Change): boolean =>
  a.reason === b.reason && a.message === b.message && a.tone === b.tone
