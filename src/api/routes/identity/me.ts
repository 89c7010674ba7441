import type { App } from '../../app.ts'
import { Me } from '../../contract/index.ts'
import { callerOf } from '../../http/guard.ts'

export function meRoutes(app: App): void {
  app.get(
    '/me',
    {
      config: { access: 'member' },
      schema: { operationId: 'getMe', tags: ['identity'], summary: 'Who makes this request', response: { 200: Me } },
    },
    async (request) => {
      const { userId, email, role, auth } = callerOf(request)
      return { id: userId, email, role, auth }
    },
  )
}
