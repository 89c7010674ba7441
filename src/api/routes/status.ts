import type { App, ServerParts } from '../app.ts'
import { StatusView } from '../contract/index.ts'

export function statusRoutes(app: App, { board }: ServerParts): void {
  app.get(
    '/status',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'getStatus',
        tags: ['operations'],
        summary: 'What this installation is made of, and how each part is',
        response: { 200: StatusView },
      },
    },
    async () => board.view(),
  )
}
