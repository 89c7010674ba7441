import { isObject, type Json, objectAt } from './json.ts'

/** The `scale` subresource of a workload. */
export function scaleOf(object: Json): Json {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = objectAt(object, 'metadata')
  const spec = objectAt(object, 'spec')
  const labels = Object.entries(objectAt(objectAt(spec, 'selector'), 'matchLabels'))
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: spec['replicas'] ?? 0 },
    status: {
      replicas: objectAt(object, 'status')['replicas'] ?? 0,
      selector: labels.map(([key, value]) => `${key}=${String(value)}`).join(','),
    },
  }
}

/** The workload with the replicas of a changed `scale`. */
export function scaled(object: Json, scale: Json): Json {
  const { replicas } = objectAt(scale, 'spec')
  const version = objectAt(scale, 'metadata')['resourceVersion']
  return {
    ...object,
    metadata: { ...objectAt(object, 'metadata'), ...(version !== undefined && { resourceVersion: version }) },
    spec: { ...objectAt(object, 'spec'), replicas },
  }
}

/** The fields of the workload that an applied `scale` states. */
export const scaleConfig = (scale: Json, name: string): Json => ({
  metadata: { name },
  spec: isObject(scale['spec']) ? { replicas: scale['spec']['replicas'] } : {},
})
