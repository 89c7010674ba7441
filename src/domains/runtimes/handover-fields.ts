import type { CoreV1, Deployment, Draft, HorizontalPodAutoscaler, KubeObject } from '../../kube/index.ts'
import type { KnativeService } from './foreign.ts'
import { merged, ownedFields } from './owned-fields.ts'
import { MIN_SCALE } from './templates/knative.ts'
import { ENFORCER, type HandedField } from './types.ts'

/**
 * What the enforcer says of a live object once it has taken over the handed fields, with the values that they have: a field that
 * nobody owns would fall back to its default. The uid keeps it from making the object anew.
 */
export function handoverOf(live: KubeObject, handed: readonly HandedField[]): Draft {
  const { apiVersion, kind, metadata } = live
  const { name, namespace = '', uid = '' } = metadata
  const where = { apiVersion, kind, metadata: { name, namespace, uid } }
  return [where, ...handed.map((field) => ({ spec: FIELDS[field](live) }))].reduce(
    merged,
    ownedFields(live, ENFORCER),
  ) as Draft
}

const FIELDS: Readonly<Record<HandedField, (live: KubeObject) => object>> = {
  replicas: (live) => ({ replicas: (live as Deployment).spec?.replicas }),
  minReplicas: (live) => ({ minReplicas: (live as HorizontalPodAutoscaler).spec.minReplicas }),
  minScale(live) {
    const scale = (live as KnativeService).spec.template.metadata?.annotations?.[MIN_SCALE]
    return scale === undefined ? {} : { template: { metadata: { annotations: { [MIN_SCALE]: scale } } } }
  },
  resources(live) {
    const all: readonly CoreV1.Container[] = (live as Deployment).spec?.template.spec?.containers ?? []
    const containers = all.flatMap(({ name, resources }) => (resources === undefined ? [] : [{ name, resources }]))
    return containers.length === 0 ? {} : { template: { spec: { containers } } }
  },
}
