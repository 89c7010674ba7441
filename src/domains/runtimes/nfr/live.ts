import {
  quantityOf,
  type CoreV1,
  type Deployment,
  type HorizontalPodAutoscaler,
  type KubeObject,
} from '../../../kube/index.ts'
import type { Dimension } from '../class-runtime.ts'
import type { KnativeService } from '../watch/optional-kinds.ts'
import { MIN_SCALE } from '../templates/knative.ts'
import type { Enforce } from '../types.ts'

/** On a child, with the value that the enforcer chose: written together with it, so that one is never there without the other. */
export const enforcedAnnotation = (dimension: Dimension): string => `oaas.io/enforced-${dimension}`

export const isEnforced = ({ metadata }: Pick<KubeObject, 'metadata'>, dimension: Dimension): boolean =>
  metadata.annotations?.[enforcedAnnotation(dimension)] !== undefined

/** The container that runs the code of the function; others were put beside it by somebody else. */
export const FUNCTION_CONTAINER = 'function'

export const functionContainerOf = (object: KubeObject): CoreV1.Container | undefined =>
  (object as Deployment | KnativeService).spec?.template.spec?.containers.find(
    ({ name }) => name === FUNCTION_CONTAINER,
  )

/** What an enforcement by this path would change: replicas, bytes of memory requested, millicores requested. */
export function liveValue(path: Enforce['path'], dimension: Dimension, object: KubeObject): number | undefined {
  return dimension === 'replicas' ? LIVE_REPLICAS[path](object) : liveRequest(object, dimension)
}

const LIVE_REPLICAS: Readonly<Record<Enforce['path'], (object: KubeObject) => number>> = {
  hpa: (object) => (object as HorizontalPodAutoscaler).spec.minReplicas ?? 1,
  deployment: (object) => (object as Deployment).spec?.replicas ?? 1,
  // To wish for one is no reason to forbid scaling to zero: with traffic there is one anyway.
  knative: (object) =>
    Math.max(1, Number((object as KnativeService).spec.template.metadata?.annotations?.[MIN_SCALE] ?? 0)),
}

function liveRequest(object: KubeObject, dimension: 'memory' | 'cpu'): number | undefined {
  const text = functionContainerOf(object)?.resources?.requests?.[dimension]
  const value = text === undefined ? undefined : quantityOf(`${text}`)
  if (value === undefined) return undefined
  return dimension === 'cpu' ? Math.round(value * 1000) : value
}
