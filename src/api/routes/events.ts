import type { OutgoingHttpHeaders } from 'node:http'
import { listed } from '../../store/index.ts'
import type { App, ServerParts } from '../app.ts'
import { authenticate } from '../auth/authenticate.ts'
import type { Identity } from '../auth/identity.ts'
import { EventView, PageQuery, pageOf } from '../contract/index.ts'
import { raise } from '../failures.ts'
import { callerOf } from '../http/guard.ts'
import { pageRequest } from '../http/paging.ts'
import { eventStreams } from '../live/event-stream.ts'
import type { Reader } from '../live/events.ts'
import { pageView } from './parts.ts'

/** One user may have this share of all streams, or the number below it if that is more: a stream for each open tab. */
const SHARE_OF_USER = 0.1
const ENOUGH_FOR_USER = 10

export function eventRoutes(app: App, parts: ServerParts): void {
  const { events, limits, clock, identity, log } = parts
  const readerOf = async ({ userId, role }: Identity): Promise<Reader> => ({
    userId,
    role,
    tenants: await identity.listTenants({ userId, admin: role === 'admin' }),
  })
  const streams = eventStreams(events, clock, readerOf, (error) => log.warn({ error }, 'Event stream closed'))

  app.get(
    '/events',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'listEvents',
        tags: ['operations'],
        summary: 'The latest changes, newest first',
        querystring: PageQuery,
        response: { 200: pageOf(EventView) },
      },
    },
    async (request) => {
      const { limit, after } = pageRequest(request.query, 1)
      const page = listed(events.recent(await readerOf(callerOf(request)), after?.[0]), limit, ({ id }) => [id])
      return pageView(page, (event) => event)
    },
  )

  app.get(
    '/events/stream',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'streamEvents',
        tags: ['operations'],
        summary: 'Changes as they happen (text/event-stream)',
        description:
          'Events: `change` (an Event), `heartbeat` (at least every 15 s), `reset` (what you know may be outdated: read it anew). Send the last id as Last-Event-ID to resume.',
        response: {
          200: { description: 'The stream.', content: { 'text/event-stream': { schema: { type: 'string' } } } },
        },
      },
    },
    async (request, reply) => {
      const { userId } = callerOf(request)
      const ofUser = Math.max(ENOUGH_FOR_USER, Math.floor(limits.streams * SHARE_OF_USER))
      if (streams.count() >= limits.streams)
        throw raise.TooManyRequests(`${limits.streams} event streams are open already`, { retryAfterMs: 5_000 })
      if (streams.count(userId) >= ofUser)
        throw raise.TooManyRequests(`you have ${ofUser} event streams open already`, { retryAfterMs: 5_000 })
      const last = request.headers['last-event-id']
      void reply.hijack()
      streams.open(
        reply.raw,
        reply.getHeaders() as OutgoingHttpHeaders,
        callerOf(request),
        () => authenticate(request, parts),
        typeof last === 'string' ? last : undefined,
      )
    },
  )

  app.addHook('preClose', async () => streams.closeAll())
}
