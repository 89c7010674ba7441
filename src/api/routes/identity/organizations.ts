import { Type } from 'typebox'
import type { Organization } from '../../../identity/index.ts'
import type { App, ServerParts } from '../../app.ts'
import {
  OrganizationCreate,
  OrganizationPatch,
  OrganizationView,
  PageQuery,
  pageOf,
  type OrganizationView as View,
} from '../../contract/index.ts'
import { generationIn } from '../../http/preconditions.ts'
import { pageRequest } from '../../http/paging.ts'
import { actorOf, Id, pageView, tagged, timeView } from '../parts.ts'

const tags = ['identity']
const params = Type.Object({ id: Id })
const Filter = Type.Object({
  ...PageQuery.properties,
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Exactly this name.' })),
})

export function organizationRoutes(app: App, { identity }: ServerParts): void {
  app.get(
    '/organizations',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'listOrganizations',
        tags,
        summary: 'List the organizations of the caller; all for an admin',
        querystring: Filter,
        response: { 200: pageOf(OrganizationView) },
      },
    },
    async (request) => {
      const filter = { ...pageRequest(request.query, 2), name: request.query.name }
      return pageView(await identity.listOrganizations(actorOf(request), filter), organizationView)
    },
  )

  app.post(
    '/organizations',
    {
      config: { access: 'member', idempotent: true },
      schema: {
        operationId: 'createOrganization',
        tags,
        summary: 'Create an organization with the caller as its owner',
        body: OrganizationCreate,
        response: { 201: OrganizationView },
      },
    },
    async (request, reply) => {
      const made = organizationView(await identity.createOrganization(actorOf(request), request.body))
      return reply.code(201).send(tagged(reply, made))
    },
  )

  app.get(
    '/organizations/:id',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'getOrganization',
        tags,
        summary: 'Get an organization',
        params,
        response: { 200: OrganizationView },
      },
    },
    async (request, reply) =>
      tagged(reply, organizationView(await identity.getOrganization(actorOf(request), request.params.id))),
  )

  app.patch(
    '/organizations/:id',
    {
      config: { access: 'member', idempotent: true },
      schema: {
        operationId: 'updateOrganization',
        tags,
        summary: 'Change the name of an organization; for its owners',
        params,
        body: OrganizationPatch,
        response: { 200: OrganizationView },
      },
    },
    async (request, reply) => {
      const precondition = { ifGeneration: generationIn(request) }
      const { name } = request.body
      const input = name === undefined ? {} : { name }
      const { id } = request.params
      return tagged(
        reply,
        organizationView(await identity.updateOrganization(actorOf(request), id, input, precondition)),
      )
    },
  )

  app.delete(
    '/organizations/:id',
    {
      config: { access: 'member', idempotent: true },
      schema: {
        operationId: 'deleteOrganization',
        tags,
        summary: 'Delete an organization that has no objects left in any domain; for its owners',
        params,
        response: { 204: Type.Null({ description: 'Deleted.' }) },
      },
    },
    async (request, reply) => {
      const precondition = { ifGeneration: generationIn(request) }
      await identity.deleteOrganization(actorOf(request), request.params.id, precondition)
      return reply.code(204).send(null)
    },
  )
}

export const organizationView = ({ id, name, members, role, generation, createdAt }: Organization): View => ({
  id,
  name,
  members,
  role,
  generation,
  created_at: timeView(createdAt),
})
