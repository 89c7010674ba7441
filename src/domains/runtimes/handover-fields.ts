import type { CoreV1, Deployment, Draft, HorizontalPodAutoscaler, KubeObject } from '../../kube/index.ts'
import type { KnativeService } from './foreign.ts'
import { MIN_SCALE } from './templates/knative.ts'
import type { HandedField } from './types.ts'

/**
 * Exactly the handed fields of a live object with the values that they have, to be applied by their next owner before the
 * present one lets go: a field that nobody owns would fall back to its default. `undefined`: it has none of them.
 */
export function handoverOf(live: KubeObject, handed: readonly HandedField[]): Draft<KubeObject> | undefined {
  const specs = handed.flatMap((field) => FIELDS[field](live) ?? [])
  if (specs.length === 0) return undefined
  const { apiVersion, kind, metadata } = live
  const { name, namespace } = metadata
  const where = namespace === undefined ? { name } : { name, namespace }
  return { apiVersion, kind, metadata: where, spec: specs.reduce(merged, {}) } as Draft<KubeObject>
}

type Spec = Readonly<Record<string, unknown>>

const FIELDS: Readonly<Record<HandedField, (live: KubeObject) => Spec | undefined>> = {
  replicas(live) {
    const replicas = (live as Deployment).spec?.replicas
    return replicas === undefined ? undefined : { replicas }
  },
  minReplicas(live) {
    const { minReplicas } = (live as HorizontalPodAutoscaler).spec
    return minReplicas === undefined ? undefined : { minReplicas }
  },
  minScale(live) {
    const scale = (live as KnativeService).spec.template.metadata?.annotations?.[MIN_SCALE]
    return scale === undefined ? undefined : { template: { metadata: { annotations: { [MIN_SCALE]: scale } } } }
  },
  resources(live) {
    const all: readonly CoreV1.Container[] = (live as Deployment).spec?.template.spec?.containers ?? []
    const containers = all.flatMap(({ name, resources }) => (resources === undefined ? [] : [{ name, resources }]))
    return containers.length === 0 ? undefined : { template: { spec: { containers } } }
  },
}

/** The parts are of different fields, so that no value meets another. */
function merged(a: Spec, b: Spec): Spec {
  const both: Record<string, unknown> = { ...a }
  for (const [key, value] of Object.entries(b)) both[key] = key in a ? merged(a[key] as Spec, value as Spec) : value
  return both
}
