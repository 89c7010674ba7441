import { Type } from 'typebox'
import type { App, ServerParts } from '../../app.ts'
import { newTokenSecret, type StoredToken } from '../../../identity/index.ts'
import { RefusedFields } from '../../../kernel/index.ts'
import { refuseUnstorable } from '../../../store/index.ts'
import { ID_PATTERN, PageQuery, pageOf, TokenCreate, TokenCreated, TokenView } from '../../contract/index.ts'
import { raise } from '../../failures.ts'
import { callerOf } from '../../http/guard.ts'
import { pageRequest } from '../../http/paging.ts'
import { pageView } from '../parts.ts'

const DAY_MS = 86_400_000

export function tokenRoutes(app: App, { tokens, clock, events }: ServerParts): void {
  const tell = (userId: string, id: string, reason: string): void =>
    events.publish(
      { topic: 'tokens', kind: 'ApiToken', object_id: id, reason, message: '', tone: 'info' },
      { user: userId },
    )

  app.get(
    '/tokens',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'listTokens',
        tags: ['identity'],
        summary: "One's own API tokens, newest first",
        querystring: PageQuery,
        response: { 200: pageOf(TokenView) },
      },
    },
    async (request) => pageView(await tokens.list(callerOf(request).userId, pageRequest(request.query, 2)), toView),
  )

  app.post(
    '/tokens',
    {
      config: { access: 'member', idempotent: false },
      schema: {
        operationId: 'createToken',
        tags: ['identity'],
        summary: 'Create an API token; its secret is in this answer and nowhere else',
        body: TokenCreate,
        response: { 201: TokenCreated },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const { name, role, expires_in_days: days } = request.body
      refuseUnstorable({ name })
      if (role === 'admin' && caller.role !== 'admin')
        throw raise.NotAllowed('a member cannot create a token with the role admin')
      const { secret, hash, prefix } = newTokenSecret()
      const expiresAt = expiryOf(days, caller.expiresAt, clock.now())
      const token = await tokens.add({ userId: caller.userId, name, role, prefix, hash, expiresAt })
      tell(caller.userId, token.id, 'Created')
      return reply.code(201).send({ ...toView(token), secret })
    },
  )

  app.delete(
    '/tokens/:id',
    {
      config: { access: 'member', idempotent: true },
      schema: {
        operationId: 'revokeToken',
        tags: ['identity'],
        summary: "Revoke one of one's own API tokens",
        params: Type.Object({ id: Type.String({ pattern: ID_PATTERN }) }),
        response: { 204: Type.Null({ description: 'Revoked; it is refused from now on.' }) },
      },
    },
    async (request, reply) => {
      const { userId } = callerOf(request)
      const { id } = request.params
      if (!(await tokens.revoke(userId, id))) throw raise.NotFound(`you have no API token ${id}`)
      tell(userId, id, 'Revoked')
      return reply.code(204).send(null)
    },
  )
}

/** A token cannot create one that lives longer than itself. Without a wish the new one expires with it. */
function expiryOf(days: number | null | undefined, own: Date | undefined, now: number): Date | null {
  const wanted = days === undefined || days === null ? null : new Date(now + days * DAY_MS)
  if (own === undefined) return wanted
  if (days === undefined) return own
  if (wanted !== null && wanted <= own) return wanted
  const message = `must end before the token of this request, which expires at ${own.toISOString()}; leave it out to expire with it`
  throw new RefusedFields([{ field: 'expires_in_days', message }])
}

const toView = ({ id, name, prefix, role, createdAt, expiresAt, lastUsedAt }: StoredToken): TokenView => ({
  id,
  name,
  prefix,
  role,
  created_at: createdAt.toISOString(),
  expires_at: expiresAt?.toISOString() ?? null,
  last_used_at: lastUsedAt?.toISOString() ?? null,
})
