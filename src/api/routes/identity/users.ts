import { Type } from 'typebox'
import type { App, ServerParts } from '../../app.ts'
import type { ListedUser } from '../../../identity/index.ts'
import { PageQuery, pageOf, UserCreate, UserPatch, UserView } from '../../contract/index.ts'
import { pageRequest } from '../../http/paging.ts'
import { generationIn } from '../../http/preconditions.ts'
import { actorOf, Id, pageView, tagged, timeView } from '../parts.ts'

const tags = ['identity']
const params = Type.Object({ id: Id })
const Filter = Type.Object({
  ...PageQuery.properties,
  email: Type.Optional(Type.String({ minLength: 1, maxLength: 254, description: 'Exactly this email.' })),
})
const Done = Type.Null({ description: 'Done.' })

export function userRoutes(app: App, { identity }: ServerParts): void {
  app.get(
    '/users',
    {
      config: { access: 'admin' },
      schema: {
        operationId: 'listUsers',
        tags,
        summary: 'List users, with the number of their deployments',
        querystring: Filter,
        response: { 200: pageOf(UserView) },
      },
    },
    async (request) => {
      const filter = { ...pageRequest(request.query, 2), email: request.query.email }
      return pageView(await identity.listUsers(actorOf(request), filter), userView)
    },
  )

  app.post(
    '/users',
    {
      config: { access: 'admin', idempotent: true },
      schema: {
        operationId: 'createUser',
        tags,
        summary: 'Create a user, who can own objects before the first login',
        body: UserCreate,
        response: { 201: UserView },
      },
    },
    async (request, reply) => {
      const { email, is_admin: isAdmin } = request.body
      const user = await identity.createUser(actorOf(request), { email, isAdmin })
      return reply.code(201).send(tagged(reply, userView(user)))
    },
  )

  app.get(
    '/users/:id',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'getUser',
        tags,
        summary: 'Get a user; members see themselves only',
        params,
        response: { 200: UserView },
      },
    },
    async (request, reply) => tagged(reply, userView(await identity.getUser(actorOf(request), request.params.id))),
  )

  app.patch(
    '/users/:id',
    {
      config: { access: 'admin', idempotent: true },
      schema: {
        operationId: 'updateUser',
        tags,
        summary: 'Change the email or the role of a user',
        params,
        body: UserPatch,
        response: { 200: UserView },
      },
    },
    async (request, reply) => {
      const { email, is_admin: isAdmin } = request.body
      const input = { ...(email !== undefined && { email }), ...(isAdmin !== undefined && { isAdmin }) }
      const precondition = { ifGeneration: generationIn(request) }
      return tagged(
        reply,
        userView(await identity.updateUser(actorOf(request), request.params.id, input, precondition)),
      )
    },
  )

  app.delete(
    '/users/:id',
    {
      config: { access: 'admin', idempotent: true },
      schema: {
        operationId: 'deleteUser',
        tags,
        summary: 'Delete a user who has no objects left in any domain',
        params,
        response: { 204: Done },
      },
    },
    async (request, reply) => {
      await identity.deleteUser(actorOf(request), request.params.id, { ifGeneration: generationIn(request) })
      return reply.code(204).send(null)
    },
  )
}

const userView = ({ id, email, isAdmin, generation, createdAt, usage }: ListedUser): UserView => ({
  id,
  email,
  is_admin: isAdmin,
  deployments: usage.objects['deployments'] ?? 0,
  frozen: usage.frozen,
  generation,
  created_at: timeView(createdAt),
})
