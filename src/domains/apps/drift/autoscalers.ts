import { isNotFound, type Client, type Discovery, type KubeObject } from '../../../kube/index.ts'
import { isJsonObject, textOf, type JsonObject } from '../values/json.ts'
import type { Autoscaler } from './allowed-owners.ts'

interface Source {
  readonly apiVersion: string
  readonly kind: Autoscaler['kind']
  /** Where its spec names what it scales. */
  readonly target: 'scaleTargetRef' | 'targetRef'
}

const SOURCES: readonly Source[] = [
  { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', target: 'scaleTargetRef' },
  { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', target: 'scaleTargetRef' },
  { apiVersion: 'autoscaling.k8s.io/v1', kind: 'VerticalPodAutoscaler', target: 'targetRef' },
]

/** The autoscalers of a namespace, of the kinds that this control plane knows. */
export async function autoscalersIn(
  client: Client,
  discovery: Discovery,
  namespace: string,
  signal?: AbortSignal,
): Promise<Autoscaler[]> {
  const found = await Promise.all(
    SOURCES.map(async ({ apiVersion, kind, target }): Promise<Autoscaler[]> => {
      const resource = await discovery.resourceFor(apiVersion, kind)
      if (resource === undefined) return []
      const scalers = await client.list(resource, { namespace }, signal).catch(noneLeft)
      return scalers.flatMap((scaler) => {
        const scaled = targetOf(scaler, target)
        return scaled === undefined ? [] : [{ kind, name: scaler.metadata.name, target: scaled }]
      })
    }),
  )
  return found.flat()
}

/** What the server served may have been uninstalled since, with all that there was of it. */
function noneLeft(error: unknown): KubeObject[] {
  if (isNotFound(error)) return []
  throw error
}

/** KEDA leaves the kind out when it means a Deployment. */
function targetOf(scaler: KubeObject, place: Source['target']): string | undefined {
  const spec = (scaler as unknown as JsonObject)['spec']
  const ref = isJsonObject(spec) ? spec[place] : undefined
  if (!isJsonObject(ref) || ref['name'] === undefined) return undefined
  return `${textOf(ref['kind'] ?? 'Deployment')}/${textOf(ref['name'])}`
}
