import type { App, ServerParts } from '../app.ts'
import { StatusView } from '../contract/index.ts'
import { callerOf } from '../http/guard.ts'

export function statusRoutes(app: App, { board }: ServerParts): void {
  app.get(
    '/status',
    {
      config: { access: 'member' },
      schema: {
        operationId: 'getStatus',
        tags: ['operations'],
        summary: 'The parts of this installation and the health of each; members see counts of their own objects',
        response: { 200: StatusView },
      },
    },
    async (request) => {
      const { userId, role } = callerOf(request)
      return board.view(role === 'admin' ? undefined : userId)
    },
  )
}
