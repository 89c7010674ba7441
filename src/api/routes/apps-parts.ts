import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Apps, Listed, PageWish, PreviewInputs } from '../../domains/apps/cases/index.ts'
import type { Explanation, FieldChange, ObjectChange } from '../../domains/apps/index.ts'
import type { Actor } from '../../store/index.ts'
import type { Page, PageQuery, ResourceView } from '../contract/index.ts'
import { callerOf } from '../guard.ts'
import { pageRequest, writeCursor } from '../paging.ts'
import { etagOf } from '../preconditions.ts'

/** What only somebody who sees the cluster can tell. Throws `ClusterUnreachable` where there is none. */
export interface AppsSight {
  preview(inputs: PreviewInputs, signal: AbortSignal): Promise<Previewed>
  explain(deploymentId: string, signal: AbortSignal): Promise<Explanation>
  resources(deploymentId: string, signal: AbortSignal): Promise<readonly ResourceView[]>
}

export interface Previewed {
  readonly values: readonly FieldChange[]
  readonly objects: readonly ObjectChange[]
}

export interface AppsParts {
  readonly apps: Apps
  readonly sight: AppsSight
}

export const actorOf = (request: FastifyRequest): Actor => {
  const { userId, role } = callerOf(request)
  return { userId, admin: role === 'admin' }
}

export const Id = Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' })

/** Every list of apps is sorted by two columns. */
export const wishOf = (query: PageQuery): PageWish => pageRequest(query, 2)

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
