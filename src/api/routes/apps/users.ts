import { Type } from 'typebox'
import type { App } from '../../app.ts'
import { FreezeUser, PageQuery, pageOf, UserCreate, UserPatch, UserView } from '../../contract/index.ts'
import type { AppsParts } from './parts.ts'
import { userView } from './views.ts'
import { Id, SORTED, actorOf, pageOptionsOf, pageView } from '../parts.ts'

const tags = ['apps']
const params = Type.Object({ id: Id })
const Filter = Type.Object({
  ...PageQuery.properties,
  email: Type.Optional(Type.String({ minLength: 1, maxLength: 254, description: 'Exactly this email.' })),
})
const Done = Type.Null({ description: 'Done.' })

export function userRoutes(app: App, { apps }: AppsParts): void {
  app.get(
    '/users',
    {
      config: { access: 'admin' },
      schema: {
        operationId: 'listUsers',
        tags,
        summary: 'Users, with how many deployments they have',
        querystring: Filter,
        response: { 200: pageOf(UserView) },
      },
    },
    async (request) => {
      const filter = { ...pageOptionsOf(request.query, SORTED.byTime), email: request.query.email }
      return pageView(await apps.listUsers(actorOf(request), filter), userView)
    },
  )

  app.post(
    '/users',
    {
      config: { access: 'admin', idempotent: true },
      schema: {
        operationId: 'createUser',
        tags,
        summary: 'Make a user, who can be given deployments before they first log in',
        body: UserCreate,
        response: { 201: UserView },
      },
    },
    async (request, reply) => {
      const { email, is_admin: isAdmin } = request.body
      return reply.code(201).send(userView(await apps.createUser(actorOf(request), { email, isAdmin })))
    },
  )

  app.get(
    '/users/:id',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'getUser',
        tags,
        summary: 'One user; members see themselves',
        params,
        response: { 200: UserView },
      },
    },
    async (request) => userView(await apps.getUser(actorOf(request), request.params.id)),
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
    async (request) => {
      const { email, is_admin: isAdmin } = request.body
      const input = { ...(email !== undefined && { email }), ...(isAdmin !== undefined && { isAdmin }) }
      return userView(await apps.updateUser(actorOf(request), request.params.id, input))
    },
  )

  app.delete(
    '/users/:id',
    {
      config: { access: 'admin' },
      schema: {
        operationId: 'deleteUser',
        tags,
        summary: 'Delete a user who has no deployments left',
        params,
        response: { 204: Done },
      },
    },
    async (request, reply) => {
      await apps.deleteUser(actorOf(request), request.params.id)
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/users/:id([^:]+)::freeze',
    {
      config: { access: 'admin' },
      schema: {
        operationId: 'freezeUser',
        tags,
        summary: 'Reconcile nothing of a user until they are thawed',
        params,
        body: FreezeUser,
        response: { 204: Done },
      },
    },
    async (request, reply) => {
      await apps.freezeTenant(actorOf(request), request.params.id, request.body.why)
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/users/:id([^:]+)::unfreeze',
    {
      config: { access: 'admin' },
      schema: {
        operationId: 'unfreezeUser',
        tags,
        summary: 'Reconcile what belongs to a frozen user again',
        params,
        response: { 204: Done },
      },
    },
    async (request, reply) => {
      await apps.unfreezeTenant(actorOf(request), request.params.id)
      return reply.code(204).send(null)
    },
  )
}
