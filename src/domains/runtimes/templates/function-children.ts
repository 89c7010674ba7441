import type { CoreV1, Deployment, Draft, HorizontalPodAutoscaler, Service } from '../../../kube/index.ts'
import { functionName } from '../names.ts'
import type { ChildRef, RenderedChild } from '../types.ts'
import { functionContainer, POD_DEFAULTS } from './container.ts'
import { SERVICE_PORT, type RunnableFunction } from './functions.ts'
import { labelsOf, metadataOf, selectorOf } from './metadata.ts'
import type { RenderInput } from './template.ts'

/** In what the templates that render Deployments differ. */
export interface DeploymentStyle {
  /** One replica whatever the spec says, and no autoscaler. */
  readonly isSingle?: boolean
  readonly revisionHistoryLimit: number
  readonly rollingUpdate: { readonly maxSurge: number; readonly maxUnavailable: number }
  readonly pullPolicy?: 'IfNotPresent'
  readonly tolerations?: readonly CoreV1.Toleration[]
}

const replicasOf = ({ minScale }: RunnableFunction, { isSingle = false }: DeploymentStyle): number =>
  isSingle ? 1 : Math.max(1, minScale)

const http2Annotation = ({ isHttp2 }: RunnableFunction): Readonly<Record<string, string>> =>
  isHttp2 ? { 'oaas.io/http2': 'true' } : {}

export function functionDeployment(input: RenderInput, fn: RunnableFunction, style: DeploymentStyle): RenderedChild {
  const { runtime, settings } = input
  const ref = { kind: 'Deployment', name: functionName(runtime.metadata.name, fn.key) } as const
  const own = { component: 'function', functionKey: fn.key } as const
  const handed = input.handed(ref)
  const container = functionContainer(runtime, settings, fn, { env: { PORT: `${fn.port}` }, handed })
  const object: Draft<Deployment> = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadataOf(runtime, { name: ref.name, ...own }, { annotations: http2Annotation(fn) }),
    spec: {
      ...(!handed.includes('replicas') && { replicas: replicasOf(fn, style) }),
      revisionHistoryLimit: style.revisionHistoryLimit,
      selector: { matchLabels: selectorOf(runtime, 'function', fn.key) },
      strategy: { type: 'RollingUpdate', rollingUpdate: style.rollingUpdate },
      template: {
        metadata: { labels: labelsOf(runtime, 'function', fn.key) },
        spec: {
          ...POD_DEFAULTS,
          ...(style.tolerations && { tolerations: style.tolerations }),
          containers: [
            {
              ...container,
              ...(style.pullPolicy && { imagePullPolicy: style.pullPolicy }),
              ports: [{ name: 'http', containerPort: fn.port, protocol: 'TCP' }],
            },
          ],
        },
      },
    },
  }
  return { ...ref, ...own, object, handed }
}

/** Port 80, whatever the container listens on. */
export function functionService({ runtime }: RenderInput, fn: RunnableFunction): RenderedChild {
  const own = { component: 'function', functionKey: fn.key } as const
  const name = functionName(runtime.metadata.name, fn.key)
  const object: Draft<Service> = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadataOf(runtime, { name, ...own }, { annotations: http2Annotation(fn) }),
    spec: {
      selector: selectorOf(runtime, 'function', fn.key),
      ports: [
        {
          name: 'http',
          port: SERVICE_PORT,
          targetPort: 'http',
          protocol: 'TCP',
          appProtocol: fn.isHttp2 ? 'kubernetes.io/h2c' : 'http',
        },
      ],
    },
  }
  return { kind: 'Service', name, ...own, object, handed: [] }
}

/** Without a request there is nothing to be a percentage of. */
const cpuTarget = ({ requests }: RunnableFunction) =>
  requests['cpu'] === undefined
    ? { type: 'AverageValue', averageValue: '500m' }
    : { type: 'Utilization', averageUtilization: 80 }

/** For functions with room between their scales, where the installation wants autoscalers. */
export function functionAutoscaler(input: RenderInput, fn: RunnableFunction, style: DeploymentStyle): RenderedChild[] {
  const { runtime, settings } = input
  const least = replicasOf(fn, style)
  if (!settings.hpa || style.isSingle === true || fn.maxScale <= least) return []
  const name = functionName(runtime.metadata.name, fn.key)
  const ref: ChildRef = { kind: 'HorizontalPodAutoscaler', name }
  const own = { component: 'function', functionKey: fn.key } as const
  const handed = input.handed(ref)
  const object: Draft<HorizontalPodAutoscaler> = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: metadataOf(runtime, { name, ...own }),
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
      ...(!handed.includes('minReplicas') && { minReplicas: least }),
      maxReplicas: fn.maxScale,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target: cpuTarget(fn) } }],
    },
  }
  return [{ ...ref, ...own, object, handed }]
}
