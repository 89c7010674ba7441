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
      return withSpec(object, (spec) => podTemplate('replicas' in spec ? spec : { replicas: 1, ...spec }))
    case 'DaemonSet':
      return withSpec(object, podTemplate)
    case 'Job':
      return { ...object, spec: podTemplate(jobSpec(objectAt(object, 'spec'), objectAt(object, 'metadata'))) }
    case 'Pod':
      return withSpec(object, podSpec)
    case 'Service':
      return withSpec(object, (spec) => withProtocols('type' in spec ? spec : { type: 'ClusterIP', ...spec }))
    default:
      return object
  }
}

const withSpec = (object: Json, fill: (spec: Json) => Json): Json => ({
  ...object,
  spec: fill(objectAt(object, 'spec')),
})

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

/*
 * A value that has its defaults already is returned as it is: the server compares it with the stored one, and that is
 * short where both are the same object.
 */

function podTemplate(spec: Json): Json {
  const { template } = spec
  if (!isObject(template)) return spec
  const inner = objectAt(template, 'spec')
  const filled = podSpec(inner)
  return filled === inner ? spec : { ...spec, template: { ...template, spec: filled } }
}

function podSpec(spec: Json): Json {
  const [containers, initContainers] = [
    mapped(spec['containers'], withProtocols),
    mapped(spec['initContainers'], withProtocols),
  ]
  const isFilled =
    'restartPolicy' in spec &&
    'terminationGracePeriodSeconds' in spec &&
    containers === spec['containers'] &&
    initContainers === spec['initContainers']
  if (isFilled) return spec
  return {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    ...spec,
    ...(containers !== undefined && { containers }),
    ...(initContainers !== undefined && { initContainers }),
  }
}

function withProtocols(holder: Json): Json {
  const ports = mapped(holder['ports'], (port) => ('protocol' in port ? port : { protocol: 'TCP', ...port }))
  return ports === holder['ports'] ? holder : { ...holder, ports }
}

/** The list with every object changed, or the list itself if no object was. */
function mapped(list: unknown, change: (item: Json) => Json): unknown {
  if (!Array.isArray(list)) return list
  const items: unknown[] = list.map((item: unknown) => (isObject(item) ? change(item) : item))
  return items.every((item, index) => item === list[index]) ? list : items
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
