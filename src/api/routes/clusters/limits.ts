import type { App } from '../../app.ts'
import { OrganizationLimitsPut, OrganizationLimitsView } from '../../contract/index.ts'
import { generationIn } from '../../http/preconditions.ts'
import { actorOf, tagged } from '../parts.ts'
import { limitsIn } from './bodies.ts'
import { ofOrganization, tags, type ClustersParts } from './parts.ts'
import { limitsView } from './views.ts'

/** What an organization may order. Members read it, admins set it. */
export function limitRoutes(app: App, { clusters }: ClustersParts): void {
  app.get(
    '/organizations/:id/limits',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'getOrganizationLimits',
        tags,
        summary:
          'How many clusters and nodes an organization may have, where and of which machines, and how many it has',
        params: ofOrganization,
        response: { 200: OrganizationLimitsView },
      },
    },
    async (request, reply) => tagged(reply, limitsView(await clusters.getLimits(actorOf(request), request.params.id))),
  )

  app.put(
    '/organizations/:id/limits',
    {
      config: { access: 'admin', idempotent: true },
      schema: {
        operationId: 'setOrganizationLimits',
        tags,
        summary: 'Set what an organization may order; what it has is kept',
        params: ofOrganization,
        body: OrganizationLimitsPut,
        response: { 200: OrganizationLimitsView },
      },
    },
    async (request, reply) => {
      const precondition = { ifGeneration: generationIn(request) }
      const limits = limitsIn(request.body)
      return tagged(
        reply,
        limitsView(await clusters.setLimits(actorOf(request), request.params.id, limits, precondition)),
      )
    },
  )
}
