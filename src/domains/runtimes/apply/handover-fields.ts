import {
  mergeFields,
  ownedFields,
  type CoreV1,
  type Deployment,
  type Draft,
  type HorizontalPodAutoscaler,
  type KubeObject,
} from '../../../kube/index.ts'
import type { KnativeService } from '../watch/optional-kinds.ts'
import { FUNCTION_CONTAINER } from '../nfr/live.ts'
import { MIN_SCALE } from '../templates/knative.ts'
import { ENFORCER, type Amount, type HandedField } from '../types.ts'

/**
 * What the enforcer says of a live object once it has taken over the handed fields, with the values that they have: a field that
 * nobody owns would fall back to its default. The uid keeps it from making the object anew.
 */
export function handoverOf(live: KubeObject, handed: readonly HandedField[]): Draft {
  const { apiVersion, kind, metadata } = live
  const { name, namespace = '', uid = '' } = metadata
  const where = { apiVersion, kind, metadata: { name, namespace, uid } }
  return [where, ...handed.map((field) => ({ spec: valueOf(live, field) }))].reduce(
    mergeFields,
    ownedFields(live, ENFORCER),
  ) as Draft
}

/** The part of a spec that sets a field, with the value that it has in this object. */
export const valueOf = (object: Draft, field: HandedField): object => FIELDS[field](object)

const FIELDS: Readonly<Record<HandedField, (object: Draft) => object>> = {
  replicas: (object) => ({ replicas: (object as Deployment).spec?.replicas }),
  minReplicas: (object) => ({ minReplicas: (object as HorizontalPodAutoscaler).spec.minReplicas }),
  minScale(object) {
    const scale = (object as KnativeService).spec.template.metadata?.annotations?.[MIN_SCALE]
    return scale === undefined ? {} : { template: { metadata: { annotations: { [MIN_SCALE]: scale } } } }
  },
  memory: (object) => amountsOf(object, 'memory'),
  cpu: (object) => amountsOf(object, 'cpu'),
}

/** What a request and its limit are within the spec of a workload. */
export const inFunction = (resources: CoreV1.ResourceRequirements): object => ({
  template: { spec: { containers: [{ name: FUNCTION_CONTAINER, resources }] } },
})

/** Of the function alone: a container that was put beside it is nothing that the controller lets go of. */
function amountsOf(object: Draft, dimension: Amount): object {
  const { spec } = object as { spec?: { template?: { spec?: { containers?: readonly CoreV1.Container[] } } } }
  const container = spec?.template?.spec?.containers?.find(({ name }) => name === FUNCTION_CONTAINER)
  const { requests, limits } = container?.resources ?? {}
  const [request, limit] = [requests?.[dimension], limits?.[dimension]]
  if (request === undefined && limit === undefined) return {}
  return inFunction({
    ...(request !== undefined && { requests: { [dimension]: request } }),
    ...(limit !== undefined && { limits: { [dimension]: limit } }),
  })
}
