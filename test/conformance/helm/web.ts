import type { FakeChart } from '../../../src/domains/apps/helm/fake/index.ts'
import type { JsonObject } from '../../../src/domains/apps/index.ts'

/** testdata/charts/web, as a function. */
export const WEB: FakeChart = {
  name: 'web',
  version: '1.0.0',
  defaultValues: { replicas: 1, hook: false, extra: false, user: { message: 'hello' } },
  render: ({ replicas, extra, user }) => [
    configMap('web', { message: (user as JsonObject)['message'] ?? '' }),
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: {
        replicas,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: {
            containers: [{ name: 'web', image: 'web:1' }],
          },
        },
      },
    },
    ...(extra === true ? [configMap('extra', {})] : []),
  ],
  hooks: ({ hook }) => (hook === true ? { afterMs: Number.POSITIVE_INFINITY } : {}),
}

const configMap = (name: string, data: JsonObject) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
})
