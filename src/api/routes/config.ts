import { Type } from 'typebox'
import type { App, ServerParts } from '../app.ts'
import { ConfigEntryView } from '../contract/index.ts'

export function configRoutes(app: App, { config, scrub }: ServerParts): void {
  app.get(
    '/config',
    {
      config: { access: 'admin' },
      schema: {
        operationId: 'getConfig',
        tags: ['operations'],
        summary: 'The values in force, without secrets',
        response: { 200: Type.Object({ items: Type.Array(ConfigEntryView) }) },
      },
    },
    async () => ({
      items: config().map((entry) => ({ ...entry, value: entry.value === null ? null : scrub(entry.value) })),
    }),
  )
}
