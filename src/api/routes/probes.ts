import type { App, ServerParts } from '../app.ts'

const probe = { config: { access: 'public', limit: 'none' }, schema: { hide: true } } as const

/** For orchestrators and Prometheus; they come often, from anywhere near, and without a login. */
export function probeRoutes(app: App, { readiness, metrics }: ServerParts): void {
  app.get('/healthz', probe, async () => ({ status: 'ok' }))

  app.get('/readyz', probe, async (_request, reply) => {
    const view = await readiness.view()
    return reply.code(view.status === 'ok' ? 200 : 503).send(view)
  })

  app.get('/metrics', probe, async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()))
}
