import { Type } from 'typebox'
import type { App } from '../../app.ts'
import { ChartSourcePut, ChartSourceView, PageQuery, pageOf } from '../../contract/index.ts'
import { pageRequest } from '../../http/paging.ts'
import { actorOf, pageView } from '../parts.ts'
import type { AppsParts } from './parts.ts'
import { chartSourceView } from './views.ts'

const tags = ['apps']
const params = Type.Object({ host: Type.String({ minLength: 1, maxLength: 300 }) })

export function chartSourceRoutes(app: App, { apps }: AppsParts): void {
  app.get(
    '/chart-sources',
    {
      config: { access: 'admin' },
      schema: {
        operationId: 'listChartSources',
        tags,
        summary: 'The hosts for which access is stored, without passwords',
        querystring: PageQuery,
        response: { 200: pageOf(ChartSourceView) },
      },
    },
    async (request) =>
      pageView(await apps.listChartSources(actorOf(request), pageRequest(request.query, 1)), chartSourceView),
  )

  app.put(
    '/chart-sources/:host',
    {
      config: { access: 'admin', idempotent: true },
      schema: {
        operationId: 'setChartSource',
        tags,
        summary: 'Say what charts of one host are fetched with',
        params,
        body: ChartSourcePut,
        response: { 200: ChartSourceView },
      },
    },
    async (request) => chartSourceView(await apps.setChartSource(actorOf(request), request.params.host, request.body)),
  )

  app.delete(
    '/chart-sources/:host',
    {
      config: { access: 'admin', idempotent: true },
      schema: {
        operationId: 'deleteChartSource',
        tags,
        summary: 'Forget what charts of one host are fetched with',
        params,
        response: { 204: Type.Null({ description: 'Done.' }) },
      },
    },
    async (request, reply) => {
      await apps.deleteChartSource(actorOf(request), request.params.host)
      return reply.code(204).send(null)
    },
  )
}
