import swagger from '@fastify/swagger'
import type { App, Tag } from './app.ts'
import { Problem } from './contract/index.ts'

/** Collects the routes that are added after it into one OpenAPI 3.1 document, served at /api/v1/openapi.json. */
export async function describeApi(app: App, version: string, tags: readonly Tag[]): Promise<void> {
  app.addSchema({ $id: 'Problem', ...Problem })
  app.addHook('onRoute', (route) => {
    if (!route.url.startsWith('/api/v1/') || route.schema === undefined || route.schema.hide === true) return
    const refusal = {
      description: 'Refused or failed.',
      content: { 'application/problem+json': { schema: { $ref: 'Problem#' } } },
    }
    const isPublic = route.config?.access === 'public'
    route.schema = {
      ...route.schema,
      ...(isPublic && { security: [] }),
      ...(route.config?.access === 'admin' && { description: 'Needs the role admin.' }),
      response: { ...(route.schema.response as object | undefined), default: refusal },
    }
  })
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Caelus',
        version,
        description:
          'One control plane for apps, clusters, runtimes, actions and edge. Names are snake_case, times RFC 3339 in UTC. ' +
          'Objects with a `generation` send it as ETag; a write with If-Match is refused (412) if the object has another one. ' +
          'Every write honours Idempotency-Key, except logins and those whose response has a secret.',
      },
      servers: [{ url: '/' }],
      tags: [...tags, ...TAGS],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'An API token (cael_…) or an OpenID Connect token.' },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: 'caelus_session',
            description: 'Set by a login in the browser.',
          },
        },
      },
      security: [{ bearer: [] }, { session: [] }],
    },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, i) => (typeof json['$id'] === 'string' ? json['$id'] : `def-${i}`),
    },
  })
  app.get('/api/v1/openapi.json', { config: { access: 'public' }, schema: { hide: true } }, async () => app.swagger())
}

const TAGS: readonly Tag[] = [
  { name: 'identity', description: 'The caller of a request, logins, API tokens, users and organizations.' },
  { name: 'operations', description: 'What this installation is made of and what it does.' },
]
