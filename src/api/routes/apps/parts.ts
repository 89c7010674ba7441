import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Apps, Listed, PageOptions, PreviewInputs } from '../../../domains/apps/usecases/index.ts'
import type { Previewed } from '../../../domains/apps/index.ts'
import { RefusedFields, type Explanation } from '../../../kernel/index.ts'
import type { Actor } from '../../../store/index.ts'
import { ID_PATTERN, type Page, type PageQuery, type ResourceView } from '../../contract/index.ts'
import { callerOf } from '../../http/guard.ts'
import { pageRequest, writeCursor } from '../../http/paging.ts'
import { etagOf } from '../../http/preconditions.ts'

/** What only somebody who sees the control plane can tell. Throws `ControlPlaneUnreachable` where there is none. */
export interface AppsInsight {
  preview(inputs: PreviewInputs, signal: AbortSignal): Promise<Omit<Previewed, 'notConsulted'> & Partial<Previewed>>
  explain(deploymentId: string, signal: AbortSignal): Promise<Explanation>
  resources(deploymentId: string, signal: AbortSignal): Promise<readonly ResourceView[]>
}

export interface AppsParts {
  readonly apps: Apps
  readonly insight: AppsInsight
}

export const actorOf = (request: FastifyRequest): Actor => {
  const { userId, role } = callerOf(request)
  return { userId, admin: role === 'admin' }
}

export const Id = Type.String({ pattern: ID_PATTERN })

const isTime = (part: string): boolean => !Number.isNaN(Date.parse(part))
const isId = (part: string): boolean => /^[0-9a-f-]{36}$/.test(part)
const isNumber = (part: string): boolean => /^\d{1,18}$/.test(part)

/** What the columns that a list is sorted by hold. A cursor was made by us, but it comes from outside. */
export const SORTED = { byTime: [isTime, isId], byName: [() => true, isId], byNumber: [isNumber] } as const

export function pageOptionsOf(query: PageQuery, sorted: (typeof SORTED)[keyof typeof SORTED]): PageOptions {
  const { limit, after } = pageRequest(query, sorted.length)
  if (after !== undefined && !sorted.every((fits, index) => fits(after[index] ?? ''))) {
    throw new RefusedFields([{ field: 'cursor', message: 'is not a next_cursor of this list' }])
  }
  return { limit, after }
}

export const pageView = <T, V>({ items, next }: Listed<T>, view: (item: T) => V): Page<V> => ({
  items: items.map(view),
  next_cursor: next === null ? null : writeCursor(next),
})

/** The answer with its version, to be sent back as If-Match. */
export const tagged = <V extends { readonly generation: number }>(reply: FastifyReply, view: V): V => {
  void reply.header('etag', etagOf(view.generation))
  return view
}

/** Aborted when the client goes away: nobody waits for the answer any more. */
export function whileConnected({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  raw.once('close', () => gone.abort())
  return gone.signal
}
