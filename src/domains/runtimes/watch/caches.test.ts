import { expect, test } from 'vitest'
import { keptOf } from './caches.ts'
import type { ClassRuntime } from '../class-runtime.ts'
import { differs } from '../apply/diff.ts'
import { stamped } from '../apply/stamp.ts'
import { TEMPLATES } from '../templates/choose.ts'
import { MANAGED_KINDS } from '../types.ts'

const runtime: ClassRuntime = {
  apiVersion: 'oaas.io/v1alpha1',
  kind: 'ClassRuntime',
  metadata: { namespace: 'n', name: 'cart', uid: 'u', generation: 1 },
  spec: {
    addons: ['odgm'],
    odgm_config: { collections: ['carts'], log: 'debug', options: { a: 'b' } },
    functions: [
      {
        function_key: 'add',
        provision_config: {
          container_image: 'registry.example/add:1',
          port: 80,
          need_http2: true,
          max_concurrency: 5,
          cpu_request: '100m',
          memory_request: '64Mi',
          cpu_limit: '1',
          memory_limit: '128Mi',
          min_scale: 2,
          max_scale: 5,
        },
        config: { MESSAGE: 'hello' },
      },
    ],
    telemetry: { enabled: true, metrics: true, traces: true, logs: true, sampling_rate: 0.5 },
  },
}

const settings = {
  profile: 'full',
  hpa: true,
  odgm: { image: 'registry.example/odgm:1', pullPolicy: 'Always' },
  otlpEndpoint: 'http://otel.example:4317',
} as const

test.each(TEMPLATES.map((template) => [template.id, template] as const))(
  'nothing that %s renders is dropped by the caches, or it would be applied for ever',
  (_, template) => {
    for (const served of [MANAGED_KINDS, MANAGED_KINDS.filter((kind) => kind !== 'ServiceMonitor')]) {
      const { children } = template.render({
        runtime,
        settings,
        served,
        routers: [{ service: 'router', port: 17_447 }],
        handed: () => [],
      })
      expect(children.length).toBeGreaterThan(2)
      for (const { kind, object } of children.map(stamped)) {
        expect(differs(object, keptOf(kind)(object))).toEqual([])
      }
    }
  },
)
