import { expect, test } from 'vitest'
import { routeTemplate } from './route-template.ts'

test.each([
  ['/healthz', '/healthz'],
  ['/products/:id/templates/:tid', '/products/{id}/templates/{tid}'],
  ['/charts::inspect', '/charts:inspect'],
  ['/users/:id/deployments::preview', '/users/{id}/deployments:preview'],
  ['/users/:id/deployments/:deployment_id([^:]+)::preview', '/users/{id}/deployments/{deployment_id}:preview'],
  ['/assets/*', '/assets/*'],
])('%s is written %s', (pattern, template) => expect(routeTemplate(pattern)).toBe(template))
