import { isObject, type Json, objectAt } from './json.ts'
import type { KindInfo } from './registry.ts'

/**
 * The defaults of built-in kinds that matter to our controllers. Other defaults of the real server are in fields that
 * they do not own.
 */
export function withDefaults(kind: KindInfo, object: Json): Json {
  switch (kind.kind) {
    case 'Namespace':
      return {
        ...object,
        metadata: labelled(objectAt(object, 'metadata')),
        spec: { finalizers: ['kubernetes'], ...objectAt(object, 'spec') },
      }
    case 'Secret':
      return secret(object)
    case 'Deployment':
    case 'StatefulSet':
    case 'ReplicaSet':
      return { ...object, spec: podTemplate({ replicas: 1, ...objectAt(object, 'spec') }) }
    case 'DaemonSet':
      return { ...object, spec: podTemplate(objectAt(object, 'spec')) }
    case 'Job':
      return { ...object, spec: podTemplate(jobSpec(objectAt(object, 'spec'), objectAt(object, 'metadata'))) }
    case 'Pod':
      return { ...object, spec: podSpec(objectAt(object, 'spec')) }
    case 'Service':
      return { ...object, spec: withProtocols({ type: 'ClusterIP', ...objectAt(object, 'spec') }) }
    default:
      return object
  }
}

/** The initial status of an object. */
export function firstStatus(kind: KindInfo, object: Json): Json | undefined {
  switch (kind.kind) {
    case 'Namespace':
      return { phase: 'Active' }
    case 'Pod':
      return { phase: 'Pending' }
    case 'CustomResourceDefinition':
      return establishedStatus(object)
    case 'Deployment':
    case 'StatefulSet':
    case 'ReplicaSet':
    case 'DaemonSet':
    case 'Job':
      return {}
    default:
      return undefined
  }
}

const labelled = (metadata: Json): Json => ({
  ...metadata,
  labels: { ...objectAt(metadata, 'labels'), 'kubernetes.io/metadata.name': metadata['name'] },
})

function secret(object: Json): Json {
  const { stringData, ...rest } = object
  if (!isObject(stringData)) return { type: 'Opaque', ...rest }
  const written = Object.entries(stringData).map(([name, text]) => [name, Buffer.from(String(text)).toString('base64')])
  return { type: 'Opaque', ...rest, data: { ...objectAt(object, 'data'), ...Object.fromEntries(written) } }
}

/** The server finds the pods of a Job by labels that it adds to their template. */
function jobSpec(spec: Json, { name, uid }: Json): Json {
  const template = objectAt(spec, 'template')
  const metadata = objectAt(template, 'metadata')
  const owned = {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  }
  return {
    backoffLimit: 6,
    completionMode: 'NonIndexed',
    completions: 1,
    parallelism: 1,
    suspend: false,
    selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
    ...spec,
    template: { ...template, metadata: { ...metadata, labels: { ...objectAt(metadata, 'labels'), ...owned } } },
  }
}

function podTemplate(spec: Json): Json {
  const template = objectAt(spec, 'template')
  return isObject(spec['template'])
    ? { ...spec, template: { ...template, spec: podSpec(objectAt(template, 'spec')) } }
    : spec
}

function podSpec(spec: Json): Json {
  const filled: Json = { restartPolicy: 'Always', terminationGracePeriodSeconds: 30, ...spec }
  for (const field of ['containers', 'initContainers']) {
    const containers = filled[field]
    if (Array.isArray(containers)) filled[field] = containers.map((one) => (isObject(one) ? withProtocols(one) : one))
  }
  return filled
}

function withProtocols(holder: Json): Json {
  const { ports } = holder
  if (!Array.isArray(ports)) return holder
  return { ...holder, ports: ports.map((port) => (isObject(port) ? { protocol: 'TCP', ...port } : port)) }
}

function establishedStatus(object: Json): Json {
  const spec = objectAt(object, 'spec')
  const versions = Array.isArray(spec['versions']) ? spec['versions'].filter(isObject) : []
  return {
    acceptedNames: spec['names'],
    storedVersions: versions.filter((version) => version['storage'] === true).map((version) => version['name']),
    conditions: [
      { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
      {
        type: 'Established',
        status: 'True',
        reason: 'InitialNamesAccepted',
        message: 'the initial names have been accepted',
      },
    ],
  }
}
