import { Type, type Static } from 'typebox'
import type { JsonObject } from '../../../domains/apps/index.ts'
import type { App } from '../../app.ts'
import {
  DEPLOYMENT_STATUSES,
  DeploymentCreate,
  DeploymentPatch,
  DeploymentView,
  PageQuery,
  pageOf,
} from '../../contract/index.ts'
import { generationIn } from '../../http/preconditions.ts'
import type { AppsParts } from './parts.ts'
import { deploymentView } from './views.ts'
import { pageRequest } from '../../http/paging.ts'
import { Id, actorOf, pageView, tagged } from '../parts.ts'

const tags = ['apps']
const ofUser = Type.Object({ id: Id })
const one = Type.Object({ id: Id, deployment_id: Id })

const Filter = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional(Type.Enum([...DEPLOYMENT_STATUSES])),
  product_id: Type.Optional(Id),
  cluster_id: Type.Optional(Id),
  name: Type.Optional(
    Type.String({ minLength: 1, maxLength: 253, description: 'Exactly this deployment_uid or domainname.' }),
  ),
  behind: Type.Optional(Type.Boolean({ description: 'Only those with an upgrade available. Default: false.' })),
  with_deleted: Type.Optional(Type.Boolean({ description: 'Also those of which nothing is left. Default: false.' })),
})

const filterIn = (query: Static<typeof Filter>) => ({
  ...pageRequest(query, 2),
  productId: query.product_id,
  clusterId: query.cluster_id,
  name: query.name,
  status: query.status,
  behind: query.behind,
  withDeleted: query.with_deleted,
})

export const inputIn = (userId: string, body: DeploymentCreate) => ({
  userId,
  templateId: body.template_id,
  clusterId: body.cluster_id,
  domainname: body.domainname,
  userValues: body.user_values as JsonObject | undefined,
})

export const changeIn = (body: DeploymentPatch) => ({
  domainname: body.domainname,
  userValues: body.user_values as JsonObject | undefined,
  templateId: body.template_id,
})

export function deploymentRoutes(app: App, { apps }: AppsParts): void {
  app.get(
    '/deployments',
    {
      config: { access: 'admin' },
      schema: {
        operationId: 'listAllDeployments',
        tags,
        summary: 'The deployments of all users, newest first',
        querystring: Type.Object({ ...Filter.properties, user_id: Type.Optional(Id) }),
        response: { 200: pageOf(DeploymentView) },
      },
    },
    async (request) => {
      const filter = { ...filterIn(request.query), userId: request.query.user_id }
      return pageView(await apps.listDeployments(actorOf(request), filter), deploymentView)
    },
  )

  app.get(
    '/deployments/:deployment_id',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'findDeployment',
        tags,
        summary: 'One deployment by id, of any user that the caller may see',
        params: Type.Object({ deployment_id: Id }),
        response: { 200: DeploymentView },
      },
    },
    async (request, reply) => {
      const found = await apps.getDeployment(actorOf(request), { id: request.params.deployment_id })
      return tagged(reply, deploymentView(found))
    },
  )

  app.get(
    '/users/:id/deployments',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'listDeployments',
        tags,
        summary: 'The deployments of a user, newest first',
        params: ofUser,
        querystring: Filter,
        response: { 200: pageOf(DeploymentView) },
      },
    },
    async (request) => {
      const filter = { ...filterIn(request.query), userId: request.params.id }
      return pageView(await apps.listDeployments(actorOf(request), filter), deploymentView)
    },
  )

  app.post(
    '/users/:id/deployments',
    {
      config: { access: 'member', idempotent: true },
      schema: {
        operationId: 'createDeployment',
        tags,
        summary: 'Order a product',
        params: ofUser,
        body: DeploymentCreate,
        response: { 201: DeploymentView },
      },
    },
    async (request, reply) => {
      const created = await apps.createDeployment(actorOf(request), inputIn(request.params.id, request.body))
      return reply.code(201).send(tagged(reply, deploymentView(created)))
    },
  )

  app.get(
    '/users/:id/deployments/:deployment_id',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'getDeployment',
        tags,
        summary: 'One deployment, also after it was deleted',
        params: one,
        response: { 200: DeploymentView },
      },
    },
    async (request, reply) => {
      const { id: userId, deployment_id: id } = request.params
      return tagged(reply, deploymentView(await apps.getDeployment(actorOf(request), { id, userId })))
    },
  )

  app.patch(
    '/users/:id/deployments/:deployment_id',
    {
      config: { access: 'member', idempotent: true },
      schema: {
        operationId: 'updateDeployment',
        tags,
        summary: 'Change domain or values; an admin also the template',
        params: one,
        body: DeploymentPatch,
        response: { 200: DeploymentView },
      },
    },
    async (request, reply) => {
      const { id: userId, deployment_id: id } = request.params
      const precondition = { ifGeneration: generationIn(request) }
      const change = changeIn(request.body)
      const changed = await apps.updateDeployment(actorOf(request), { id, userId }, change, precondition)
      return tagged(reply, deploymentView(changed))
    },
  )

  app.delete(
    '/users/:id/deployments/:deployment_id',
    {
      config: { access: 'member', idempotent: true },
      schema: {
        operationId: 'deleteDeployment',
        tags,
        summary: 'Remove it with everything in it; superseding whatever is under way',
        params: one,
        response: { 202: DeploymentView },
      },
    },
    async (request, reply) => {
      const { id: userId, deployment_id: id } = request.params
      const precondition = { ifGeneration: generationIn(request) }
      const gone = await apps.deleteDeployment(actorOf(request), { id, userId }, precondition)
      return reply.code(202).send(tagged(reply, deploymentView(gone)))
    },
  )

  for (const { verb, operationId, summary, act } of VERBS) {
    app.post(
      `/users/:id/deployments/:deployment_id([^:]+)::${verb}`,
      {
        config: { access: 'member', idempotent: true },
        schema: { operationId, tags, summary, params: one, response: { 200: DeploymentView } },
      },
      async (request, reply) => {
        const { id: userId, deployment_id: id } = request.params
        return tagged(reply, deploymentView(await apps[act](actorOf(request), { id, userId })))
      },
    )
  }
}

/** What an owner does with a deployment besides changing it. */
const VERBS = [
  {
    verb: 'retry',
    operationId: 'retryDeployment',
    summary: 'Try what failed anew, however often it was tried before',
    act: 'retryDeployment',
  },
  {
    verb: 'suspend',
    operationId: 'suspendDeployment',
    summary: 'Leave it as it is: changes are saved and not applied, drift is not repaired',
    act: 'suspendDeployment',
  },
  {
    verb: 'resume',
    operationId: 'resumeDeployment',
    summary: 'Apply what was changed while it was suspended, and keep it in order again',
    act: 'resumeDeployment',
  },
] as const
