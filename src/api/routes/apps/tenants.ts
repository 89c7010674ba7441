import { Type } from 'typebox'
import type { App } from '../../app.ts'
import type { OwnedDomain } from '../../../domains/apps/index.ts'
import type { DeploymentLimit } from '../../../domains/apps/usecases/index.ts'
import {
  DeploymentLimitUpdate,
  DeploymentLimitView,
  FreezeUser,
  OwnedDomainCreate,
  OwnedDomainView,
  PageQuery,
  pageOf,
} from '../../contract/index.ts'
import { pageRequest } from '../../http/paging.ts'
import { actorOf, Id, pageView, timeView } from '../parts.ts'
import type { AppsParts } from './parts.ts'

const tags = ['apps']
const params = Type.Object({ id: Id })
const Done = Type.Null({ description: 'Done.' })

/** Users as tenants of apps: their place in the queue, and what they may order. */
export function tenantRoutes(app: App, { apps }: AppsParts): void {
  app.post(
    '/users/:id([^:]+)::freeze',
    {
      config: { access: 'admin', idempotent: true },
      schema: {
        operationId: 'freezeUser',
        tags,
        summary: 'Stop reconciling the deployments of a user; runs under way continue',
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
      config: { access: 'admin', idempotent: true },
      schema: {
        operationId: 'unfreezeUser',
        tags,
        summary: 'Reconcile the deployments of a frozen user again',
        params,
        response: { 204: Done },
      },
    },
    async (request, reply) => {
      await apps.unfreezeTenant(actorOf(request), request.params.id)
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/users/:id/deployment-limit',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'getDeploymentLimit',
        tags,
        summary: 'How many deployments a user has and may have; members see their own',
        params,
        response: { 200: DeploymentLimitView },
      },
    },
    async (request) => limitView(await apps.getDeploymentLimit(actorOf(request), request.params.id)),
  )

  app.put(
    '/users/:id/deployment-limit',
    {
      config: { access: 'admin', idempotent: true },
      schema: {
        operationId: 'setDeploymentLimit',
        tags,
        summary: 'Set how many deployments a user may have; those beyond a lower limit are kept',
        params,
        body: DeploymentLimitUpdate,
        response: { 200: DeploymentLimitView },
      },
    },
    async (request) => limitView(await apps.setDeploymentLimit(actorOf(request), request.params.id, request.body.most)),
  )

  app.get(
    '/domains',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'listDomains',
        tags,
        summary: 'List domains that only one user may order, by name; members see their own',
        querystring: Type.Object({ ...PageQuery.properties, user_id: Type.Optional(Id) }),
        response: { 200: pageOf(OwnedDomainView) },
      },
    },
    async (request) => {
      const filter = { ...pageRequest(request.query, 1), userId: request.query.user_id }
      return pageView(await apps.listDomains(actorOf(request), filter), domainView)
    },
  )

  app.post(
    '/domains',
    {
      config: { access: 'admin', idempotent: true },
      schema: {
        operationId: 'createDomain',
        tags,
        summary: 'Let only one user order a domain and everything below it; existing deployments are kept',
        body: OwnedDomainCreate,
        response: { 201: OwnedDomainView },
      },
    },
    async (request, reply) => {
      const { suffix, user_id: userId } = request.body
      return reply.code(201).send(domainView(await apps.createDomain(actorOf(request), suffix, userId)))
    },
  )

  app.delete(
    '/domains/:suffix',
    {
      config: { access: 'admin', idempotent: true },
      schema: {
        operationId: 'deleteDomain',
        tags,
        summary: 'Take a domain back from its user; existing deployments are kept',
        params: Type.Object({ suffix: Type.String({ minLength: 1, maxLength: 253 }) }),
        response: { 204: Done },
      },
    },
    async (request, reply) => {
      await apps.deleteDomain(actorOf(request), request.params.suffix)
      return reply.code(204).send(null)
    },
  )
}

const limitView = ({ most, isOwn, deployments }: DeploymentLimit): DeploymentLimitView => ({
  most,
  is_default: !isOwn,
  deployments,
})

const domainView = ({ suffix, userId, email, createdAt }: OwnedDomain): OwnedDomainView => ({
  suffix,
  user_id: userId,
  email,
  created_at: timeView(createdAt),
})
