import { Type } from 'typebox'
import type { Member } from '../../../identity/index.ts'
import type { App, ServerParts } from '../../app.ts'
import {
  MemberCreate,
  MemberPatch,
  MemberView,
  PageQuery,
  pageOf,
  type MemberView as View,
} from '../../contract/index.ts'
import { generationIn } from '../../http/preconditions.ts'
import { pageRequest } from '../../http/paging.ts'
import { actorOf, Id, pageView, tagged, timeView } from '../parts.ts'

const tags = ['identity']
const params = Type.Object({ id: Id })
const one = Type.Object({ id: Id, user_id: Id })

export function memberRoutes(app: App, { identity }: ServerParts): void {
  app.get(
    '/organizations/:id/members',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'listMembers',
        tags,
        summary: 'List the members of an organization, newest first',
        params,
        querystring: PageQuery,
        response: { 200: pageOf(MemberView) },
      },
    },
    async (request) => {
      const page = pageRequest(request.query, 2)
      return pageView(await identity.listMembers(actorOf(request), request.params.id, page), memberView)
    },
  )

  app.post(
    '/organizations/:id/members',
    {
      config: { access: 'member', idempotent: true },
      schema: {
        operationId: 'addMember',
        tags,
        summary: 'Add an existing user without an invitation; for admins',
        params,
        body: MemberCreate,
        response: { 201: MemberView },
      },
    },
    async (request, reply) => {
      const made = memberView(await identity.addMember(actorOf(request), request.params.id, request.body))
      return reply.code(201).send(tagged(reply, made))
    },
  )

  app.patch(
    '/organizations/:id/members/:user_id',
    {
      config: { access: 'member', idempotent: true },
      schema: {
        operationId: 'updateMember',
        tags,
        summary: 'Change the role of a member; for owners. The last owner stays one',
        params: one,
        body: MemberPatch,
        response: { 200: MemberView },
      },
    },
    async (request, reply) => {
      const { id, user_id: userId } = request.params
      const precondition = { ifGeneration: generationIn(request) }
      const member = await identity.updateMember(actorOf(request), id, userId, request.body.role, precondition)
      return tagged(reply, memberView(member))
    },
  )

  app.delete(
    '/organizations/:id/members/:user_id',
    {
      config: { access: 'member', idempotent: true },
      schema: {
        operationId: 'removeMember',
        tags,
        summary: 'Remove a member, for owners; or leave. The last owner stays',
        params: one,
        response: { 204: Type.Null({ description: 'Removed.' }) },
      },
    },
    async (request, reply) => {
      const { id, user_id: userId } = request.params
      await identity.removeMember(actorOf(request), id, userId)
      return reply.code(204).send(null)
    },
  )
}

const memberView = ({ userId, email, role, generation, createdAt }: Member): View => ({
  user_id: userId,
  email,
  role,
  generation,
  created_at: timeView(createdAt),
})
