import { Type } from 'typebox'
import { refuseUnstorable } from '../../store/index.ts'
import type { App, ServerParts } from '../app.ts'
import { DecisionDetail, DecisionView, PageQuery, pageOf, ReplayView, RUN_OUTCOMES } from '../contract/index.ts'
import { raise } from '../failures.ts'
import { pageRequest } from '../http/paging.ts'
import { pageView } from './parts.ts'

const Params = Type.Object({ id: Type.String({ maxLength: 20 }) })

export function decisionRoutes(app: App, { decisions }: ServerParts): void {
  app.get(
    '/decisions',
    {
      config: { access: 'admin' },
      schema: {
        operationId: 'listDecisions',
        tags: ['operations'],
        summary: 'The decisions of all processes, newest first',
        querystring: Type.Object({
          ...PageQuery.properties,
          controller: Type.Optional(Type.String({ maxLength: 100, description: 'Such as apps or runtimes.' })),
          kind: Type.Optional(Type.String({ maxLength: 100 })),
          object_id: Type.Optional(Type.String({ maxLength: 300 })),
          outcome: Type.Optional(Type.Enum([...RUN_OUTCOMES], { description: 'How the run ended.' })),
        }),
        response: { 200: pageOf(DecisionView) },
      },
    },
    async ({ query }) => {
      const { controller, kind, object_id: objectId, outcome } = query
      refuseUnstorable({ controller, kind, object_id: objectId })
      const filter = { controller, kind, objectId, outcome }
      return pageView(await decisions.list(filter, pageRequest(query, 1)), (view) => view)
    },
  )

  app.get(
    '/decisions/:id',
    {
      config: { access: 'admin' },
      schema: {
        operationId: 'getDecision',
        tags: ['operations'],
        summary: 'One decision with its input and output',
        params: Params,
        response: { 200: DecisionDetail },
      },
    },
    async ({ params: { id } }) => (await decisions.get(id)) ?? notFound(id),
  )

  app.post(
    '/decisions/:id([^:]+)::replay',
    {
      config: { access: 'admin', idempotent: false },
      schema: {
        operationId: 'replayDecision',
        tags: ['operations'],
        summary: 'Decides again from the recorded input and compares the answers',
        description: 'Changes nothing. A difference means that the decide function has changed since.',
        params: Params,
        response: { 200: ReplayView },
      },
    },
    async ({ params: { id } }) => (await decisions.replay(id)) ?? notFound(id),
  )
}

const notFound = (id: string): never => {
  throw raise.NotFound(`there is no decision ${id}; decisions are kept as long as CAELUS_KEEP_DECISIONS says`)
}
