import { Type } from 'typebox'
import type { App } from '../../app.ts'
import { FreezeUser } from '../../contract/index.ts'
import { actorOf, Id } from '../parts.ts'
import type { AppsParts } from './parts.ts'

const tags = ['apps']
const params = Type.Object({ id: Id })
const Done = Type.Null({ description: 'Done.' })

/** Users as tenants of the queue of apps. */
export function tenantRoutes(app: App, { apps }: AppsParts): void {
  app.post(
    '/users/:id([^:]+)::freeze',
    {
      config: { access: 'admin' },
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
      config: { access: 'admin' },
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
}
