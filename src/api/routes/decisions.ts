import { Type } from 'typebox'
import type { App, ServerParts } from '../app.ts'
import { DecisionDetail, DecisionView, pageOf } from '../contract/index.ts'
import { raise } from '../failures.ts'

export function decisionRoutes(app: App, { decisions }: ServerParts): void {
  app.get(
    '/decisions',
    {
      config: { access: 'admin' },
      schema: {
        operationId: 'listDecisions',
        tags: ['operations'],
        summary: 'The latest decisions of this process, newest first',
        querystring: Type.Object({
          kind: Type.Optional(Type.String({ maxLength: 100 })),
          object_id: Type.Optional(Type.String({ maxLength: 300 })),
          limit: Type.Optional(
            Type.Integer({ minimum: 1, maximum: 200, description: 'At most this many. Default: all.' }),
          ),
        }),
        response: { 200: pageOf(DecisionView) },
      },
    },
    async ({ query: { kind, object_id, limit } }) => {
      const items = decisions
        .list()
        .filter((each) => kind === undefined || each.kind === kind)
        .filter((each) => object_id === undefined || each.object_id === object_id)
      return { items: items.slice(0, limit), next_cursor: null }
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
        params: Type.Object({ id: Type.String({ maxLength: 20 }) }),
        response: { 200: DecisionDetail },
      },
    },
    async ({ params: { id } }) => {
      const found = decisions.get(id)
      if (found === undefined) throw raise.NotFound(`there is no decision ${id}; only the latest ones are kept`)
      return found
    },
  )
}
