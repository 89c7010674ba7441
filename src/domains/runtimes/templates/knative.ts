import type { Draft } from '../../../kube/index.ts'
import type { KnativeService } from '../watch/optional-kinds.ts'
import { functionName } from '../names.ts'
import type { RenderedChild } from '../types.ts'
import { functionContainer, POD_DEFAULTS } from './container.ts'
import type { RunnableFunction } from './functions.ts'
import { labelsOf, metadataOf } from './metadata.ts'
import { podMonitorChildren } from './monitors.ts'
import { deploymentReady, knativeReady } from './readiness.ts'
import { renderClass } from './render.ts'
import type { RenderInput, Template } from './template.ts'

export const MIN_SCALE = 'autoscaling.knative.dev/minScale'
const MAX_SCALE = 'autoscaling.knative.dev/maxScale'

/** Knative calls the port of the function so in its pods, whatever we call it. */
const USER_PORT = 'user-port'

/** What Knative sets itself, and refuses in a spec. */
const KNATIVE_ENV = ['PORT', 'K_SERVICE', 'K_CONFIGURATION', 'K_REVISION']

/** For functions that may sleep: each is a service of Knative, which scales it with its requests, down to none. */
export const knative: Template = {
  id: 'knative',
  aliases: ['kn', 'knsvc'],
  managed: ['KnativeService', 'Deployment', 'Service', 'PodMonitor'],
  needs: ['KnativeService'],
  supportsOdgm: true,
  readiness: { KnativeService: knativeReady, Deployment: deploymentReady },
  score: () => 200,
  render: (input) =>
    renderClass(input, {
      workload: 'KnativeService',
      reserved: KNATIVE_ENV,
      function: (fn) => [knativeService(input, fn)],
      monitors: () => podMonitorChildren(input, USER_PORT),
    }),
}

function knativeService(input: RenderInput, fn: RunnableFunction): RenderedChild {
  const { runtime, settings } = input
  const ref = { kind: 'KnativeService', name: functionName(runtime.metadata.name, fn.key) } as const
  const own = { component: 'function', functionKey: fn.key } as const
  const handed = input.handed(ref)
  const annotations = {
    ...(!handed.includes('minScale') && { [MIN_SCALE]: `${fn.minScale}` }),
    ...(fn.maxScale > 0 && { [MAX_SCALE]: `${fn.maxScale}` }),
  }
  const object: Draft<KnativeService> = {
    apiVersion: 'serving.knative.dev/v1',
    kind: 'Service',
    // Functions are called from inside: by ODGM, routers and gateways.
    metadata: metadataOf(
      runtime,
      { name: ref.name, ...own },
      {
        labels: { 'networking.knative.dev/visibility': 'cluster-local' },
        annotations: fn.isHttp2 ? { 'oaas.io/http2': 'true' } : {},
      },
    ),
    spec: {
      template: {
        metadata: {
          labels: labelsOf(runtime, 'function', fn.key),
          ...(Object.keys(annotations).length > 0 && { annotations }),
        },
        spec: {
          ...POD_DEFAULTS,
          containerConcurrency: fn.maxConcurrency,
          containers: [
            {
              ...functionContainer(runtime, settings, fn, { handed }),
              ports: [{ name: fn.isHttp2 ? 'h2c' : 'http1', containerPort: fn.port }],
            },
          ],
        },
      },
    },
  }
  return { ...ref, ...own, object, handed }
}
