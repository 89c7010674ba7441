import type { App, ServerParts } from '../app.ts'
import { ConfigEntryView, pageOf } from '../contract/index.ts'

export function configRoutes(app: App, { config, scrub }: ServerParts): void {
  app.get(
    '/config',
    {
      config: { access: 'admin' },
      schema: {
        operationId: 'getConfig',
        tags: ['operations'],
        summary: 'The values in force, without secrets',
        response: { 200: pageOf(ConfigEntryView) },
      },
    },
    async () => {
      const items = config().map((entry) => ({ ...entry, value: entry.value === null ? null : scrub(entry.value) }))
      return { items, next_cursor: null }
    },
  )
}
