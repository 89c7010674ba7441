import { Type } from 'typebox'
import type { Invitation } from '../../../identity/index.ts'
import type { App, ServerParts } from '../../app.ts'
import {
  InvitationAccept,
  InvitationCreate,
  InvitationCreated,
  InvitationView,
  OrganizationView,
  PageQuery,
  pageOf,
  type InvitationView as View,
} from '../../contract/index.ts'
import { pageRequest } from '../../http/paging.ts'
import { actorOf, Id, pageView, timeView } from '../parts.ts'
import { organizationView } from './organizations.ts'

const tags = ['identity']
const params = Type.Object({ id: Id })
const DAY_MS = 86_400_000
const DEFAULT_DAYS = 7

export function invitationRoutes(app: App, { identity, clock, publicUrl }: ServerParts): void {
  app.get(
    '/organizations/:id/invitations',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'listInvitations',
        tags,
        summary: 'List the open invitations of an organization, newest first; for owners',
        params,
        querystring: PageQuery,
        response: { 200: pageOf(InvitationView) },
      },
    },
    async (request) => {
      const page = pageRequest(request.query, 2)
      return pageView(await identity.listInvitations(actorOf(request), request.params.id, page), invitationView)
    },
  )

  app.post(
    '/organizations/:id/invitations',
    {
      config: { access: 'member', idempotent: false },
      schema: {
        operationId: 'invite',
        tags,
        summary: 'Invite an email, for owners; replaces an open invitation of the same email',
        params,
        body: InvitationCreate,
        response: { 201: InvitationCreated },
      },
    },
    async (request, reply) => {
      const { email, role, expires_in_days: days = DEFAULT_DAYS } = request.body
      const input = { email, role, expiresAt: clock.now() + days * DAY_MS }
      const { secret, ...made } = await identity.invite(actorOf(request), request.params.id, input)
      // In the fragment, which browsers send to no server: neither logs nor proxies see the token.
      const url = `${publicUrl()}/organizations/accept#${secret}`
      return reply.code(201).send({ ...invitationView(made), token: secret, url })
    },
  )

  app.delete(
    '/organizations/:id/invitations/:invitation_id',
    {
      config: { access: 'member', idempotent: true },
      schema: {
        operationId: 'revokeInvitation',
        tags,
        summary: 'Revoke an open invitation; for owners',
        params: Type.Object({ id: Id, invitation_id: Id }),
        response: { 204: Type.Null({ description: 'Revoked.' }) },
      },
    },
    async (request, reply) => {
      const { id, invitation_id: invitationId } = request.params
      await identity.revokeInvitation(actorOf(request), id, invitationId)
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/invitations::accept',
    {
      config: { access: 'member', limit: 'login', idempotent: true },
      schema: {
        operationId: 'acceptInvitation',
        tags,
        summary: 'Join an organization with the token of an invitation to the email of the caller',
        body: InvitationAccept,
        response: { 200: OrganizationView },
      },
    },
    async (request) => organizationView(await identity.acceptInvitation(actorOf(request), request.body.token)),
  )
}

const invitationView = ({ id, email, role, createdAt, expiresAt }: Invitation): View => ({
  id,
  email,
  role,
  created_at: timeView(createdAt),
  expires_at: timeView(expiresAt),
})
